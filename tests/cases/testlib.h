// A header of our own to testlib's protocol, with the few names that the tests' checkers use. The real one is the user's.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

enum TResult { _ok = 0, _wa = 1, _pe = 2, _fail = 3 };

inline void quitf(TResult result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    exit(static_cast<int>(result));
}

struct InStream {
    std::ifstream file;
    TResult fault;
    std::string readToken() {
        std::string word;
        if (!(file >> word)) quitf(fault, "unexpected end of file");
        return word;
    }
    long long readLong() {
        std::string word = readToken();
        char *end = nullptr;
        long long value = strtoll(word.c_str(), &end, 10);
        if (*end) quitf(fault, "expected an integer, found %s", word.c_str());
        return value;
    }
    int readInt() { return static_cast<int>(readLong()); }
    bool seekEof() { return (file >> std::ws).eof(); }
};

inline InStream inf, ouf, ans;
inline std::ofstream tout;

inline void registerInteraction(int count, char *names[]) {
    if (count < 4) quitf(_fail, "three files are needed");
    inf.file.open(names[1]);
    tout.open(names[2]);
    ans.file.open(names[3]);
    ouf.file.open("/dev/stdin");
    inf.fault = ans.fault = _fail;
    ouf.fault = _pe;
}

inline void registerTestlibCmd(int count, char *names[]) {
    if (count < 4) quitf(_fail, "three files are needed");
    inf.file.open(names[1]);
    ouf.file.open(names[2]);
    ans.file.open(names[3]);
    inf.fault = ans.fault = _fail;
    ouf.fault = _pe;
}
