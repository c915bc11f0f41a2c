#include <iostream>
#include <fstream>
#include <vector>
#include <string>
#include <cmath>
int main(){}
