"""Python calls the kernels by ctypes over libkernels_c.so; pointers are those of torch tensors."""
import ctypes
from ctypes import (POINTER, Structure, byref, c_char_p, c_double, c_float, c_int64, c_size_t, c_uint8, c_uint32,
                    c_uint64, c_void_p)

FLOAT32, BFLOAT16 = 0, 1
MASKS, ONE, CONFIDENCE, ENTROPY, THRESHOLD = range(5)
PARTIALS = 1024


class TokenLossRows(Structure):
    _fields_ = [("logits", c_void_p), ("type", c_uint8), ("rows", c_size_t), ("vocabulary", c_size_t),
                ("stride", c_size_t), ("targets", c_void_p), ("gradient", c_void_p), ("gradient_type", c_uint8),
                ("gradient_stride", c_size_t), ("scale", c_void_p), ("log_probability", c_void_p),
                ("entropy", c_void_p)]


class RegionSettings(Structure):
    _fields_ = [("rule", c_uint8), ("divisor", c_uint8), ("step_tokens", c_double), ("step_samples", c_double),
                ("tau", c_double), ("lambda_", c_double), ("alpha", c_double), ("window", c_size_t),
                ("confidence_mask", c_uint8), ("reweight", c_uint8), ("soft_mask", c_uint8),
                ("weight_power", c_double)]


class RegionBatch(Structure):
    _fields_ = [("samples", c_size_t), ("first_row", c_void_p), ("log_probability", c_void_p),
                ("entropy", c_void_p), ("sensitive", c_void_p), ("sums", c_void_p), ("row_scale", c_void_p),
                ("results", c_void_p), ("left_out", c_void_p), ("droppable", c_void_p)]


class SampleRegion(Structure):
    _fields_ = [("loss", c_double), ("nll", c_double), ("weight", c_double), ("mean_confidence", c_double),
                ("first", c_int64), ("last", c_int64), ("mean", c_double), ("kept", c_int64), ("finite", c_int64)]


class AdamwTensor(Structure):
    _fields_ = [("value", c_void_p), ("gradient", c_void_p), ("first", c_void_p), ("second", c_void_p),
                ("size", c_size_t), ("first_chunk", c_size_t)]


class AdamwOptions(Structure):
    _fields_ = [("beta1", c_double), ("beta2", c_double), ("epsilon", c_double), ("weight_decay", c_double),
                ("clip", c_double)]


class AdamwStep(Structure):
    _fields_ = [("tensors", c_void_p), ("count", c_size_t), ("chunks", c_size_t), ("options", AdamwOptions),
                ("learning_rates", c_void_p), ("rates", c_size_t), ("partials", c_void_p), ("state", c_void_p)]


class AdamwState(Structure):
    _fields_ = [("steps", c_int64), ("norm", c_double), ("learning_rate", c_double), ("clip", c_float),
                ("decay", c_float), ("step_size", c_float), ("second_scale", c_float), ("finite", c_uint32),
                ("arrived", c_uint32)]


class DropoutSample(Structure):
    _fields_ = [("first_row", c_int64), ("key", c_uint64)]


class DropoutRows(Structure):
    _fields_ = [("x", c_void_p), ("y", c_void_p), ("x_type", c_uint8), ("y_type", c_uint8), ("add", c_uint8),
                ("rows", c_size_t), ("width", c_size_t), ("samples", c_void_p), ("sample_count", c_size_t),
                ("site", c_uint64), ("threshold", c_uint32), ("scale", c_float)]


class CodeRows(Structure):
    """`nested` stands in its fields."""
    _fields_ = [("format", c_uint8), ("elements", c_size_t), ("columns", c_size_t), ("codes", c_void_p),
                ("nested_codes", c_void_p), ("nested_groups", c_void_p), ("nested_offset", c_float),
                ("nested_values", c_void_p), ("scales", c_void_p)]


class Kernels:
    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.library.cuset_sizes.restype = POINTER(c_size_t)
        sizes = self.library.cuset_sizes()[:10]
        ours = [ctypes.sizeof(t) for t in (TokenLossRows, RegionSettings, RegionBatch, SampleRegion, AdamwTensor,
                                           AdamwStep, AdamwState, DropoutSample, DropoutRows, CodeRows)]
        assert sizes == ours, f"structures differ: {sizes}, {ours}"
        for name in ("cuset_name", "cuset_cpu_name", "cuset_text"):
            getattr(self.library, name).restype = c_char_p
        self.library.cuset_adamw_chunks.restype = c_size_t
        self.library.cuset_adamw_chunks.argtypes = [POINTER(AdamwTensor), c_size_t]

    def name(self):
        return self.library.cuset_name().decode()

    def cpu_name(self):
        return self.library.cuset_cpu_name().decode()

    def done(self, error):
        if error:
            raise RuntimeError(self.library.cuset_text(error).decode())

    def rows(self, logits, targets, log_p, gradient=None, entropy=None, scale=None):
        """For 2-D tensors whose last dimension is dense."""
        kind = {2: BFLOAT16, 4: FLOAT32}
        return TokenLossRows(
            logits.data_ptr(), kind[logits.element_size()], logits.shape[0], logits.shape[1], logits.stride(0),
            targets.data_ptr(), gradient.data_ptr() if gradient is not None else None,
            kind[gradient.element_size()] if gradient is not None else 0,
            gradient.stride(0) if gradient is not None else 0, scale.data_ptr() if scale is not None else None,
            log_p.data_ptr(), entropy.data_ptr() if entropy is not None else None)

    def token_loss_cpu(self, rows):
        self.done(self.library.cuset_token_loss_cpu(byref(rows)))

    def token_loss(self, rows, stream):
        self.done(self.library.cuset_token_loss(byref(rows), c_void_p(stream)))

    def regions(self, settings, batch, stream):
        self.done(self.library.cuset_regions(byref(settings), byref(batch), c_void_p(stream)))

    def adamw_chunks(self, table):
        return self.library.cuset_adamw_chunks(table, len(table))

    def adamw(self, step, stream):
        self.done(self.library.cuset_adamw(byref(step), c_void_p(stream)))

    def dropout(self, rows, stream):
        self.done(self.library.cuset_dropout(byref(rows), c_void_p(stream)))

    def dequantise(self, matrix, to, stream):
        self.done(self.library.cuset_dequantise(byref(matrix), c_void_p(to.data_ptr()), to.element_size() == 2,
                                                c_void_p(stream)))
