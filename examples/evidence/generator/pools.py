"""What noise is drawn from. No text says which program it stands in: a right comment is right in all of them, and a
stale one is wrong in all of them."""

# place -> comments.
RIGHT = {
    "file": ["Small CUDA program: reads its inputs from data/, runs, writes the result to data/.",
             "Inputs and output are raw binary files.", "Build: nvcc -O2 -o main main.cu"],
    "sizes": ["sizes are known at compile time", "problem size", "dimensions of the problem"],
    "arrays": ["managed memory, visible to host and device", "unified memory: no explicit copies needed",
               "input and output buffers"],
    "kernels": ["device code", "the kernel, called from main", "runs on the GPU"],
    "main": ["host code", "read, launch, write", "entry point"],
    "read": ["load the input from disk", "raw values, no header", "the whole file in one go"],
    "launch": ["launch on the default device", "the launch returns at once", "go"],
    "wait": ["wait for the GPU", "the host must not read before the kernel is done", "block until done"],
    "write": ["store the result", "dump the whole output array", "write the result as raw bytes"],
}
STALE = {
    "file": ["Computes everything on the CPU with OpenMP.", "Reads a CSV file and prints the mean of each column.",
             "Multi-GPU version, uses NCCL to exchange borders."],
    "sizes": ["must be a power of two, see below", "read from the command line", "default size is 1 << 20"],
    "arrays": ["host copies, freed at the end of main", "half precision to save bandwidth",
               "allocated with cudaMalloc in init()"],
    "kernels": ["512 threads per block", "reads its input through a texture", "needs dynamic shared memory"],
    "main": ["returns the number of errors", "runs the benchmark ten times and prints the median",
             "compares the result with the CPU version"],
    "read": ["skip the header line", "fill with random numbers", "read from stdin"],
    "launch": ["1024 threads per block", "second stream, overlaps with the copy below",
               "dynamic shared memory: 48 KB"],
    "wait": ["copy the result back to the host", "stop the profiler", "join the worker threads"],
    "write": ["print the result as text", "append to the log", "only written in debug builds"],
}
OTHER = {
    "file": ["Kleines CUDA-Programm: liest Daten, rechnet auf der GPU, schreibt das Ergebnis.",
             "CUDA 示例程序：读取数据，在 GPU 上计算，写回结果。", "CUDA のサンプル。入力を読み、GPU で計算する。",
             "Ejemplo de CUDA: lee los datos, calcula en la GPU y guarda el resultado.",
             "Пример на CUDA: читает данные, считает на GPU, пишет результат."],
    "sizes": ["Größen stehen fest", "数据规模", "tamaño del problema", "問題のサイズ", "размеры задачи"],
    "arrays": ["gemeinsamer Speicher von CPU und GPU", "统一内存", "memoria unificada", "ユニファイドメモリ",
               "общая память CPU и GPU"],
    "kernels": ["läuft auf der GPU", "核函数", "código de la GPU", "カーネル", "ядро для GPU"],
    "main": ["Hauptprogramm", "主函数", "programa principal", "メイン関数", "главная функция"],
    "read": ["Eingabe laden", "读取输入数据", "cargar los datos", "入力を読み込む", "читаем входные данные"],
    "launch": ["Kernel starten", "启动核函数", "lanzar el kernel", "カーネルを起動", "запуск ядра"],
    "wait": ["auf die GPU warten", "等待 GPU 完成", "esperar a la GPU", "GPU の終了を待つ", "ждём GPU"],
    "write": ["Ergebnis speichern", "保存结果", "guardar el resultado", "結果を書き出す", "сохраняем результат"],
}
TODO = ["TODO: error handling", "FIXME: slow on old cards", "TODO(mk): tune this", "XXX is this still needed?",
        "HACK, clean up later", "TODO: make it work for more than one GPU", "see ticket 4711",
        "FIXME what if the file is missing?"]
COMMENTED_OUT = ['printf("%d\\n", result[0]);', "cudaSetDevice(1);", "assert(size % 32 == 0);",
                 "cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost);", "cudaProfilerStart();",
                 "for (int i = 0; i < 10; i++) printf(\"%f \", h_out[i]);", "kernel_old<<<1, 1024>>>(d_in, d_out);",
                 "cudaFree(d_in);", "free(h_out);"]
COMMENT_FORMS = [["// {}"], ["// {}"], ["/* {} */"], ["//{}"], ["/**", " * {}", " */"], ["// ---- {} ----"],
                 ["/// {}"]]
FILE_FORMS = [["// {}", ""], ["/*", " * {}", " */", ""], ["/* {} */", ""], ["// {}", "//", "// Author: K. Meyer", ""],
              ["/**", " * @file main.cu", " * @brief {}", " */", ""], ["// {}", "// (c) 2019, all rights reserved", ""]]

SIGNATURES = ["int main(int argc, char** argv)", "int main(int argc, char **argv)", "int main(int argc, char* argv[])",
              "int main(int argc, char *argv[])"]
# Headers, whether main takes arguments, how main begins and ends.
ARGUMENTS = [
    (["cstring"], True, 'bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;',
     'if (verbose) fprintf(stderr, "done\\n");'),
    (["cstring"], True, 'bool quiet = true;\nfor (int arg = 1; arg < argc; arg++)\n'
     '    if (!strcmp(argv[arg], "--verbose")) quiet = false;', 'if (!quiet) puts("finished");'),
    (["cstdlib"], True, "int device = argc > 1 ? atoi(argv[1]) : 0;\ncudaSetDevice(device);", ""),
    ([], True, 'if (argc > 1) {\n    fprintf(stderr, "usage: %s\\n", argv[0]);\n    return 1;\n}', ""),
    (["unistd.h"], True, 'int opt;\nwhile ((opt = getopt(argc, argv, "h")) != -1)\n    if (opt == \'h\') return 0;', ""),
    ([], True, "(void)argc;\n(void)argv;", ""),
    (["cstdlib"], False, 'const char* debug = getenv("DEBUG");',
     'if (debug) fprintf(stderr, "[debug] end of main\\n");'),
]

# Name and text of what checks the calls of CUDA's.
CHECKS = [
    ("CHECK", """#define @NAME@(call)                                                     \\
    do {                                                                \\
        cudaError_t err = (call);                                       \\
        if (err != cudaSuccess) {                                       \\
            fprintf(stderr, "%s:%d: %s\\n", __FILE__, __LINE__, cudaGetErrorString(err)); \\
            exit(1);                                                    \\
        }                                                               \\
    } while (0)"""),
    ("gpuErrchk", """#define @NAME@(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line) {
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\\n", cudaGetErrorString(code), file, line);
        exit(code);
    }
}"""),
    ("CUDA_CALL", """#define @NAME@(x) do { if ((x) != cudaSuccess) { \\
    printf("Error at %s:%d\\n", __FILE__, __LINE__); \\
    return EXIT_FAILURE; } } while (0)"""),
    ("CUDA_CHECK", """#define @NAME@(x) \\
    if (cudaError_t e = (x)) { fprintf(stderr, "%s failed: %s\\n", #x, cudaGetErrorString(e)); exit(1); }"""),
    ("checkCudaErrors", """static void @NAME@(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "CUDA error %d\\n", (int)error);
    exit(EXIT_FAILURE);
}"""),
    ("CK", "#define @NAME@(call) if ((call) != cudaSuccess) exit(1)"),
]

# Headers, what stands before the launches, and what behind them.
TIMINGS = [
    ([], "cudaEvent_t start, stop;\ncudaEventCreate(&start);\ncudaEventCreate(&stop);\ncudaEventRecord(start);",
     "cudaEventRecord(stop);\ncudaEventSynchronize(stop);\nfloat ms = 0;\ncudaEventElapsedTime(&ms, start, stop);\n"
     'fprintf(stderr, "@MESSAGE@\\n", ms);'),
    (["chrono"], "auto t0 = std::chrono::steady_clock::now();",
     "auto t1 = std::chrono::steady_clock::now();\n"
     'fprintf(stderr, "@MESSAGE@\\n", std::chrono::duration<double, std::milli>(t1 - t0).count());'),
    (["chrono"], "const auto begin = std::chrono::high_resolution_clock::now();",
     "std::chrono::duration<double> elapsed = std::chrono::high_resolution_clock::now() - begin;\n"
     'fprintf(stderr, "@MESSAGE@\\n", 1e3 * elapsed.count());'),
    (["ctime"], "clock_t tic = clock();",
     'fprintf(stderr, "@MESSAGE@\\n", 1000.0 * (clock() - tic) / CLOCKS_PER_SEC);'),
]
TIME_MESSAGES = ["time: %f ms", "kernel took %.3f ms", "Elapsed time: %g ms", "[timer] %.2f ms", "Zeit: %.3f ms",
                 "耗时 %.3f ms"]

# Where -> texts; @SIZE@ is the name of a size, and a %d in the text its value.
MESSAGES = {
    "begin": ["=== CUDA demo ===", "starting", "@SIZE@ = %d", "Loading data...", "[info] init"],
    "launch": ["launching kernel", "running on the GPU ...", "inputs loaded", "@SIZE@: %d", "step 2/3"],
    "end": ["done", "result written", "Test PASSED", "finished, @SIZE@ = %d", "bye"],
}
PRINTS = ['fprintf(stderr, "@TEXT@\\n"@VALUES@);', 'fprintf(stderr, "@TEXT@\\n"@VALUES@);',
          'printf("@TEXT@\\n"@VALUES@);', 'std::fprintf(stderr, "@TEXT@\\n"@VALUES@);']

ARRAY_NAMES = ["d_{name}", "dev_{name}", "gpu_{name}", "{name}_d", "g_{name}", "{name}_buf", "um{Name}", "my{Name}",
               "buf{number}", "arr{number}", "tmp_{name}_{number}"]
# Of the dimensions of the launch, where a program has names for them.
SHAPE_NAMES = [("threads", "blocks"), ("dimBlock", "dimGrid"), ("blockSize", "gridSize"), ("tpb", "bpg"),
               ("threadsPerBlock", "numBlocks"), ("block_dim", "grid_dim"), ("bs", "gs")]
FILE_NAMES = [("load", "save"), ("read_file", "write_file"), ("readBinary", "writeBinary"), ("slurp", "spit"),
              ("LoadData", "StoreData"), ("laden", "speichern")]
FILE_FUNCTIONS = [
    ("""static void @NAME@(const char* path, void* to, size_t bytes) {
    FILE* f = fopen(path, "rb");
    if (fread(to, 1, bytes, f) != bytes) perror(path);
    fclose(f);
}""", """static void @NAME@(const char* path, const void* from, size_t bytes) {
    FILE* f = fopen(path, "wb");
    fwrite(from, 1, bytes, f);
    fclose(f);
}"""),
    ("""void @NAME@(const char *name, void *p, size_t size) {
    FILE *fp = fopen(name, "rb");
    if (!fp) exit(1);
    fread(p, size, 1, fp);
    fclose(fp);
}""", """void @NAME@(const char *name, void *p, size_t size) {
    FILE *fp = fopen(name, "wb");
    fwrite(p, size, 1, fp);
    fclose(fp);
}"""),
]
