// Runs the built program and looks at what it writes.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

struct outcome {
    int status = -1;
    std::string text;  // of standard output
};

outcome run(const std::string& arguments) {
    const std::string command = std::string("'") + HERON_PROGRAM + "' " + arguments;
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (!pipe) throw std::runtime_error("cannot run " + command);
    outcome result;
    std::array<char, 4096> part{};
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) {
        result.text.append(part.data(), size);
    }
    const int status = pclose(pipe);
    if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
    return result;
}

const std::string quick = " --round-time 0.2 --repeat 3 --warm ";

const json& backend_of(const json& info, const std::string& name) {
    for (const json& backend : info["backends"]) {
        if (backend["name"] == name) return backend;
    }
    throw std::runtime_error("no backend " + name);
}

std::size_t count_lines(const std::string& text) {
    std::size_t lines = 0;
    for (const char c : text) lines += c == '\n';
    return lines;
}

}  // namespace

TEST_CASE("heron info lists every backend") {
    const outcome shown = run("info --json");
    REQUIRE(shown.status == 0);
    const json info = json::parse(shown.text);
    CHECK(info["backends"].size() == 3);
    CHECK(info["default"].contains("backend"));
    for (const json& backend : info["backends"]) {
        CAPTURE(backend.dump());
        CHECK(backend["available"].get<bool>() != backend.contains("reason"));
        CHECK(backend["available"].get<bool>() == !backend["devices"].empty());
    }
    const json host = backend_of(info, "host");
    REQUIRE(host["available"].get<bool>());
    CHECK(host["devices"][0]["compute_units"].get<int>() > 0);
    CHECK(host["devices"][0]["memory_bytes"].get<double>() > 0);
    CHECK(host["devices"][0]["fp64"].get<bool>());
    CHECK(!host["plugin"].get<std::string>().empty());
}

TEST_CASE("heron info says for people what the JSON says for programs") {
    const outcome shown = run("info");
    REQUIRE(shown.status == 0);
    CHECK(shown.text.find("host: available") != std::string::npos);
    CHECK(shown.text.find("ISA level") != std::string::npos);
}

TEST_CASE("heron bench spmv checks and times") {
    const outcome shown = run("bench spmv --matrix poisson2d:30 --backend host --output json" + quick);
    REQUIRE(shown.status == 0);
    const json report = json::parse(shown.text);
    REQUIRE(report["results"].size() == 1);
    const json& row = report["results"][0];
    CHECK(row["contender"] == "heron-host");
    CHECK(row["result"] == "right");
    CHECK(row["rows"] == 900);
    CHECK(row["nnz"] == 4380);
    CHECK(row["copies"] == 1);
    CHECK(row["rounds"] == 3);
    // 4380 values and columns, 901 offsets, 900 elements of each of x and y
    CHECK(row["compulsory_bytes"] == 4380 * 12 + 901 * 4 + 900 * 16);
    const double seconds = row["seconds"].get<double>();
    CHECK(seconds > 0);
    CHECK(row["seconds_min"].get<double>() <= seconds);
    const double gflops = row["gflops"].get<double>();
    CHECK(gflops * seconds * 1e9 > 0.999 * 2 * 4380);
    CHECK(gflops * seconds * 1e9 < 1.001 * 2 * 4380);
    CHECK(row["bandwidth"]["kind"] == "triad");
    CHECK(row["bandwidth"]["gbytes_per_second"].get<double>() > 0);
    CHECK(report["geometric_means"].size() == 1);
    CHECK(report["options"]["seed"] == 42);
}

TEST_CASE("heron bench trisolve checks and times") {
    const outcome shown =
        run("bench trisolve --matrix poisson2d:12 --backend host --output json --type f32,c64 --op N,T,C "
            "--triangle lower,upper --rhs 1,3 --order row --analyses 1 --round-time 0.2 --repeat 2");
    REQUIRE(shown.status == 0);
    const json report = json::parse(shown.text);
    CHECK(report["results"].size() == 2 * 3 * 2 * 2);
    for (const json& row : report["results"]) {
        CAPTURE(row.dump());
        CHECK(row["result"] == "right");
        CHECK(row["seconds"].get<double>() > 0);
        CHECK(row["analysis_seconds"].get<double>() > 0);
    }
}

TEST_CASE("heron bench trisolve refuses options that make no sense") {
    for (const char* arguments : {"--type i8", "--op X", "--triangle left", "--order diagonal", "--rhs 0"}) {
        CAPTURE(arguments);
        CHECK(run(std::string("bench trisolve --matrix diag:50 ") + arguments + " 2>&1").status != 0);
    }
}

TEST_CASE("heron bench factor checks and times") {
    const outcome shown =
        run("bench factor --matrix poisson2d:12 --backend host --output json --type f32,c64 --block 0,3 "
            "--analyses 1 --round-time 0.2 --repeat 2");
    REQUIRE(shown.status == 0);
    const json report = json::parse(shown.text);
    CHECK(report["results"].size() == 2 * 2 * 2);
    for (const json& row : report["results"]) {
        CAPTURE(row.dump());
        CHECK(row["result"] == "right");
        CHECK(row["seconds"].get<double>() > 0);
        CHECK(row["analysis_seconds"].get<double>() > 0);
    }
}

TEST_CASE("heron bench factor refuses options that make no sense") {
    for (const char* arguments : {"--type i8", "--kind lu", "--block -1"}) {
        CAPTURE(arguments);
        CHECK(run(std::string("bench factor --matrix diag:50 ") + arguments + " 2>&1").status != 0);
    }
}

TEST_CASE("heron bench sort, color and geam check and time all their functions") {
    const struct {
        const char* command;
        std::size_t functions;
    } cases[] = {{"sort", 4}, {"color", 1}, {"geam", 4}};
    for (const auto& [command, functions] : cases) {
        const outcome shown = run(std::string("bench ") + command +
                                  " --matrix poisson2d:12 rmat:6,4 --backend host --output json "
                                  "--round-time 0.2 --repeat 2");
        CAPTURE(command);
        REQUIRE(shown.status == 0);
        const json report = json::parse(shown.text);
        CHECK(report["results"].size() == 2 * functions);
        for (const json& row : report["results"]) {
            CAPTURE(row.dump());
            CHECK(row["result"] == "right");
            CHECK(row["seconds"].get<double>() > 0);
        }
        CHECK(run(std::string("bench ") + command + " --function none 2>/dev/null").status != 0);
    }
}

TEST_CASE("heron bench prune checks and times all its functions") {
    const outcome shown =
        run("bench prune --matrix poisson2d:12 --size 40x70 --type f16,f32,f64 --format csr,coo "
            "--order row,col --backend host --output json --round-time 0.2 --repeat 2");
    REQUIRE(shown.status == 0);
    const json report = json::parse(shown.text);
    // Four of dense, four of sparse, four generic ones (two formats, two orders); four without halves.
    CHECK(report["results"].size() == 3 * (4 + 4 + 4 * 4) + 2 * 4);
    for (const json& row : report["results"]) {
        CAPTURE(row.dump());
        CHECK(row["result"] == "right");
        CHECK(row["seconds"].get<double>() > 0);
    }
    for (const char* arguments : {"--type i8", "--size 10", "--size 0x4", "--share 2", "--format ell"}) {
        CAPTURE(arguments);
        CHECK(run(std::string("bench prune --backend host ") + arguments + " 2>&1").status != 0);
    }
}

TEST_CASE("heron bench tridiag checks and times") {
    const outcome shown =
        run("bench tridiag --backend host --output json --type f32,c64 --size 100x3,1000x1 --batch 12x10 "
            "--repeat 2");
    REQUIRE(shown.status == 0);
    const json report = json::parse(shown.text);
    // LAPACK's gtsv takes part where there is one.
    int own = 0;
    for (const json& row : report["results"]) {
        CAPTURE(row.dump());
        CHECK(row["result"] == "right");
        CHECK(row["seconds"].get<double>() > 0);
        own += row["contender"] != "lapack";
    }
    CHECK(own == 2 * (2 * 2 + 5));
    for (const char* size : {"10", "2x1", "10x0", "10x5y", "100000x100000"}) {
        CAPTURE(size);
        CHECK(run(std::string("bench tridiag --size ") + size + " 2>&1").status != 0);
    }
}

TEST_CASE("heron bench spmv keeps the operands out of the cache") {
    const outcome shown =
        run("bench spmv --matrix diag:2000000 --backend host --output json --round-time 0.2 --repeat 1");
    REQUIRE(shown.status == 0);
    const json row = json::parse(shown.text)["results"][0];
    CHECK(row["cache"] == "cold");
    CHECK(row["copies"].get<int>() > 1);
}

TEST_CASE("heron bench spmv runs every format, type and operation on the host") {
    const outcome shown =
        run("bench spmv --matrix poisson2d:21 longrows:300,2 --backend host --format csr,csc,coo,sell,bsr "
            "--block 3 "
            "--slice 7 --type f32,f64,c32,c64,f16,bf16,i8 --op N,T,C --index 32,64,64/32 --alpha 2 --beta -1 "
            "--output json --check-only --warm");
    REQUIRE(shown.status == 0);
    const json report = json::parse(shown.text);
    CHECK(report["results"].size() == 2 * 5 * 7 * 3 * 3);
    for (const json& row : report["results"]) {
        CAPTURE(row.dump());
        CHECK(row["result"] == "right");
        CHECK(!row.contains("seconds"));
    }
}

TEST_CASE("heron bench spmv writes CSV, a line for each result and each mean") {
    const outcome shown =
        run("bench spmv --matrix diag:50 arrow:50 --type f32,f64 --backend host --output csv" + quick);
    REQUIRE(shown.status == 0);
    CHECK(shown.text.rfind("matrix,rows,cols,nnz,", 0) == 0);
    CHECK(count_lines(shown.text) == 1 + 4 + 2);
}

TEST_CASE("heron bench spmv notices a wrong result") {
    const outcome shown =
        run(std::string("bench spmv --matrix diag:50 --backend host --output json --library '") +
            IDLE_CUSPARSE + "'" + quick);
    CHECK(shown.status == 1);
    const json row = json::parse(shown.text)["results"][0];
    CHECK(row["result"] == "WRONG");
    CHECK(!row.contains("seconds"));
}

TEST_CASE("heron bench handle times a handle in a new process") {
    const outcome shown = run("bench handle --backend host --output json --repeat 2");
    REQUIRE(shown.status == 0);
    const json rows = json::parse(shown.text)["results"];
    REQUIRE(rows.size() == 2);
    CHECK(rows[0]["contender"] == "cuda-context");
    CHECK(rows[1]["contender"] == "heron-host");
    CHECK(rows[1]["create_seconds"] > 0.0);
    CHECK(rows[1]["seconds"] >= rows[1]["open_seconds"]);
}

TEST_CASE("heron bench spmv goes on after a matrix that it cannot have") {
    const outcome shown = run("bench spmv --matrix missing.mtx diag:50 --backend host --output json" + quick);
    CHECK(shown.status == 1);
    const json report = json::parse(shown.text);
    REQUIRE(report["results"].size() == 2);
    CHECK(report["results"][0]["result"] == "failed");
    CHECK(report["results"][1]["result"] == "right");
}

TEST_CASE("heron bench spmv refuses options that make no sense") {
    for (const char* arguments : {"--type f99", "--op X", "--index 16", "--format dia", "--alg fastest",
                                  "--backend abacus", "--repeat 0", "--library /nonexistent.so"}) {
        CAPTURE(arguments);
        const outcome shown = run(std::string("bench spmv --matrix diag:50 ") + arguments + " 2>&1");
        CHECK(shown.status != 0);
        CHECK(!shown.text.empty());
    }
}

TEST_CASE("heron bench sddmm checks and times every layout and type on the host") {
    const outcome shown =
        run("bench sddmm --matrix poisson2d:21 --backend host --type f32,f64,c32,c64,f16,bf16 --layout "
            "rc,rr,cc,cr "
            "--k 19,32 --alpha 2 --beta -1 --output json" +
            quick);
    REQUIRE(shown.status == 0);
    const json report = json::parse(shown.text);
    CHECK(report["results"].size() == 6 * 4 * 2);
    for (const json& row : report["results"]) {
        CAPTURE(row.dump());
        CHECK(row["result"] == "right");
        CHECK(row["seconds"].get<double>() > 0);
    }
    CHECK(run("bench sddmm --matrix diag:50 --backend host --layout rx 2>/dev/null").status != 0);
}

TEST_CASE("heron bench spmm checks and times every layout and format") {
    const outcome shown =
        run("bench spmm --backend host --matrix poisson2d:12 --round-time 0.2 --repeat 3 --op N,T --n 1,20 "
            "--layout rr,rc,cr,cc --format csr,coo,bsr,ell --output json");
    REQUIRE(shown.status == 0);
    const json report = json::parse(shown.text);
    CHECK(report["results"].size() == 64);
    for (const json& row : report["results"]) {
        CAPTURE(row.dump());
        CHECK(row["result"] == "right");
        CHECK(row["seconds"].get<double>() > 0);
    }
    CHECK(run("bench spmm --check-only --layout xy").status != 0);
    CHECK(run("bench spmm --check-only --n 0").status != 0);
}

TEST_CASE("heron bench gemm, herk and her2k check and time") {
    for (const std::string name : {"gemm", "herk", "her2k"}) {
        CAPTURE(name);
        const outcome shown =
            run("bench " + name +
                " --n 33 --type f32,c64 --backend host --output json --round-time 0.2 --repeat 2");
        REQUIRE(shown.status == 0);
        const json report = json::parse(shown.text);
        CHECK(report["devices"][0]["peak_gflops"]["f32"].get<double>() > 0);
        REQUIRE(report["results"].size() == 2);
        for (const json& row : report["results"]) {
            CAPTURE(row.dump());
            CHECK(row["result"] == "ok");
            CHECK(row["k"] == 33);
            CHECK(row["gflops"].get<double>() > 0);
        }
    }
    CHECK(run("bench gemm --n 5x6x7 --batch 9 --backend host --round-time 0.2 --repeat 2 --op TN").status ==
          0);
    CHECK(run("bench gemm --n 3x4 --backend host 2>/dev/null").status != 0);
    CHECK(run("bench gemm --op NX --backend host 2>/dev/null").status != 0);
}

#ifdef OWN_CLBLAS
TEST_CASE("heron bench gemm, herk and her2k on OpenCL beside a library with clBLAS's functions") {
    if (run("bench gemm --n 8 --backend opencl --round-time 0.2 --repeat 1 2>/dev/null").status != 0) {
        WARN("no OpenCL device");
        return;
    }
    for (const std::string command : {"gemm --op TN --batch 2", "herk", "her2k"}) {
        CAPTURE(command);
        const outcome shown = run("bench " + command +
                                  " --n 33 --type f32,c64 --backend opencl --output json --round-time 0.2 "
                                  "--repeat 1 --against own=" OWN_CLBLAS);
        REQUIRE(shown.status == 0);
        const json report = json::parse(shown.text);
        REQUIRE(report["results"].size() == 2);
        for (const json& row : report["results"]) {
            CAPTURE(row.dump());
            CHECK(row["result"] == "ok");
            CHECK(row["ratio"]["own"].get<double>() > 0);
        }
    }
    CHECK(run("bench gemm --n 8 --backend opencl --against /no/such/library 2>/dev/null").status != 0);
    CHECK(run("bench gemm --n 8 --backend opencl --against " IDLE_CUSPARSE " 2>/dev/null").status != 0);
}
#endif

TEST_CASE("heron tune gemm says that its budget was too small") {
    if (run("tune gemm --measure --type f32 --size 64 2>/dev/null").status != 0) {
        WARN("no OpenCL device");
        return;
    }
    const outcome shown = run("tune gemm --type f32 --size 64 --budget 0.001 --dry-run 2>&1");
    CAPTURE(shown.text);
    CHECK(shown.status == 1);
    CHECK(shown.text.find("the budget ended before the first shape") != std::string::npos);
    CHECK(shown.text.find("heron: a budget of 0.001 s is too small to try one shape") != std::string::npos);
    CHECK(shown.text.find("results:") == std::string::npos);
}

TEST_CASE("wrong arguments end with a message that names what is wrong") {
    const struct {
        std::string arguments, named;
    } cases[] = {
        {"", "A subcommand is required"},
        {"bogus", "'bogus' is not one of its subcommands"},
        {"bench bogus", "'bogus' is not one of its subcommands"},
        {"info extra", "extra"},
        {"bench spmv --backend bogus", "--backend: bogus not in"},
        {"bench spmv --backend ''", "--backend: "},
        {"bench spmv --type xx", "--type: xx not in"},
        {"bench spmv --op X", "--op: X not in"},
        {"bench spmv --index 16", "--index: 16 not in"},
        {"bench spmv --format ell", "--format: ell not in"},
        {"bench spmv --alg none --backend host", "'none' is not one of the algorithms"},
        {"bench spmv --repeat 0", "--repeat: "},
        {"bench spmv --round-time nan", "--round-time: 'nan' is not a number from"},
        {"bench spmv --round-time 0", "--round-time: '0' is not a number from"},
        {"bench spmv --round-time inf", "--round-time: 'inf' is not a number from"},
        {"bench spmv --alpha nan", "--alpha: 'nan' is not a number from"},
        {"bench spmv --beta 1e400", "--beta: '1e400' is not a number from"},
        {"bench spmv --output xml", "--output: xml not in"},
        {"bench spmv --file /no/such/folder/x", "--file: cannot write /no/such/folder/x"},
        {"bench spmv --file ''", "--file: the name of the file is empty"},
        {"bench spmv --backend host --library /no/such/library", "/no/such/library"},
        {"bench spmv --backend host --matrix /no/such.mtx", "/no/such.mtx: cannot open"},
        {"bench spmv --backend host --matrix poisson2d", "it takes N"},
        {"bench spmv --backend host --matrix poisson2d:0", "its size must be positive"},
        {"bench spmv --backend host --matrix poisson2d:-3", "-3 is negative"},
        {"bench spmv --backend host --matrix poisson2d:x", "'x' is not a list of whole numbers"},
        {"bench spmv --backend host --matrix poisson2d:999999999999", "it would have 5e+24 rows or entries"},
        {"bench spmm --backend host --n 0", "'0' is not a number of columns"},
        {"bench spmm --backend host --n 3x", "'3x' is not a number of columns"},
        {"bench sddmm --k 0", "--k: '0' is not a number from"},
        {"bench sddmm --k -5", "--k: '-5' is not a number from"},
        {"bench trisolve --rhs 0", "--rhs: '0' is not a number from"},
        {"bench trisolve --order diagonal", "--order: diagonal not in"},
        {"bench trisolve --triangle left", "--triangle: left not in"},
        {"bench kron --backend host --n 3x", "'3x': sizes are numbers from 1 to 64"},
        {"bench kron --backend host --dims 9", "'9': dimensions are numbers from 1 to 8"},
        {"bench kron --backend host --n 64 --dims 8", "an item would have more than 2^26 elements"},
        {"bench kron --batch -1", "--batch: '-1' is not a number from"},
        {"bench kron --mode none", "--mode: none not in"},
        {"bench kron --operands none", "--operands: none not in"},
        {"bench handle --repeat 1 --library /no/such/library", "/no/such/library"},
        {"bench handle --repeat 1 --against /no/such/library", "/no/such/library"},
        {"bench gemm --backend host --n 0", "'0' is not a size"},
        {"bench gemm --backend host --n 12abc", "'12abc' is not a size"},
        {"bench gemm --backend host --n 4294967312", "'4294967312' is not a size"},
        {"bench gemm --backend host --n 2147483647 --type f32", "not enough memory"},
        {"bench gemm --backend host --n 8 --against /no/such/library",
         "--against compares on the opencl backend"},
        {"bench gemm --backend host --study --plot /no/such/folder/x.png", "--plot: cannot write"},
        {"bench gemm --backend host --plot x.png", "--plot requires --study"},
        {"bench survey --minutes 0", "--minutes: '0' is not a number from"},
        {"bench survey --operation spelling", "--operation: spelling not in"},
        {"bench survey --plot x.gif", "--plot: x.gif does not end with .png or .svg"},
        {"bench survey --rows /no/such/folder/x", "--rows: cannot write /no/such/folder/x"},
        {"bench survey --data /no/such/folder", "--data: "},
        {"bench survey --worst 0", "--worst: "},
        {"bench vector --size 5:6 --backend host", "'5:6' is no size N:STORED"},
        {"spy", "matrix is required"},
        {"spy /no/such.mtx", "/no/such.mtx: cannot open"},
        {"spy diag:5 --size 3", "--size: "},
        {"spy diag:5 -o /no/such/folder/x.png", "--output: cannot write /no/such/folder/x.png"},
        {"tune", "A subcommand is required"},
        {"tune gemm --backend host", "--backend: host not in"},
        {"tune gemm --type xx", "--type: xx not in"},
        {"tune gemm --budget 0", "--budget: '0' is not a number from"},
        {"tune gemm --size -1", "--size: '-1' is not a number from"},
    };
    for (const auto& [arguments, named] : cases) {
        const outcome shown = run(arguments + " 2>&1");
        CAPTURE(arguments, shown.text);
        CHECK(shown.status > 0);
        CHECK(shown.status < 126);
        CHECK(shown.text.find(named) != std::string::npos);
    }
}

TEST_CASE("heron bench gemm --study takes the kernel apart and draws it") {
    const std::string picture = "study_of_bench_test.png";
    std::filesystem::remove(picture);
    const outcome shown =
        run("bench gemm --study --n 48 --type f64 --backend host --output json "
            "--round-time 0.2 --repeat 2 --plot " +
            picture);
    REQUIRE(shown.status == 0);
    const json report = json::parse(shown.text);
    std::vector<std::string> parts;
    for (const json& row : report["results"]) {
        CAPTURE(row.dump());
        parts.push_back(row["part"]);
        CHECK(row["without"].get<double>() > 0);
        if (row["part"] != "all") CHECK(row["alone"].get<double>() > 0);
    }
    CHECK(parts == std::vector<std::string>{"all", "packing", "loads", "arithmetic", "stores"});
    CHECK(std::filesystem::file_size(picture) > 500);
    CHECK(run("bench gemm --plot x.png --n 8 --backend host 2>/dev/null").status != 0);
}

TEST_CASE("heron bench vector checks and times") {
    const outcome shown = run(
        "bench vector --size 5000:300 --type f32,c64 --beta -1 --backend host --output json --round-time 0.2 "
        "--repeat 2");
    REQUIRE(shown.status == 0);
    const json report = json::parse(shown.text);
    CHECK(report["results"].size() == 2 * 5);
    for (const json& row : report["results"]) {
        CAPTURE(row.dump());
        CHECK(row["result"] == "right");
        CHECK(row["nnz"] == 300);
        CHECK(row["seconds"].get<double>() > 0);
    }
    CHECK(run("bench vector --size 5 --backend host 2>/dev/null").status != 0);
    CHECK(run("bench vector --size 5:6 --backend host 2>/dev/null").status != 0);
}

TEST_CASE("heron bench survey goes on where it stopped") {
    const std::string rows = "survey_of_bench_test.jsonl";
    std::filesystem::remove(rows);
    const std::string survey =
        "bench survey --quick --operation vector --backend host --repeat 2 --round-time 0.05 "
        "--output json --rows " +
        rows;
    const outcome first = run(survey + " --minutes 0.01");
    REQUIRE(first.status == 0);
    const json begun = json::parse(first.text);
    REQUIRE(begun["done"].get<int>() > 0);
    CHECK(begun["planned"] > begun["done"]);
    for (const json& row : begun["results"]) {
        CAPTURE(row.dump());
        CHECK(row["operation"] == "vector");
        CHECK(row["result"] == "right");
        CHECK(row["contender"] == "heron-host");
    }
    // The rest, after a run that was cut off in the middle of a line.
    const auto size = std::filesystem::file_size(rows);
    std::FILE* const file = std::fopen(rows.c_str(), "a");
    std::fputs("{\"key\":\"half a li", file);
    std::fclose(file);
    const outcome second = run(survey + " --minutes 0.02");
    REQUIRE(second.status == 0);
    const json continued = json::parse(second.text);
    CHECK(continued["done"] > begun["done"]);
    CHECK(continued["results"].size() == continued["done"].get<std::size_t>());
    CHECK(std::filesystem::file_size(rows) > size);
    for (const json& row : begun["results"]) {
        CAPTURE(row.dump());
        const auto& all = continued["results"];
        CHECK(std::find(all.begin(), all.end(), row) != all.end());
    }
    const outcome other = run(survey + " --minutes 0.01 --seed 7 2>&1");
    CHECK(other.status != 0);
    CHECK(other.text.find("was measured with") != std::string::npos);
}

TEST_CASE("heron bench survey puts the worst rows first") {
    const std::string picture = "survey_of_bench_test.png";
    std::filesystem::remove(picture);
    const bool compares = run("bench survey --help").text.find("--eigen") != std::string::npos;
    if (!compares) return;
    const std::string survey =
        "bench survey --quick --operation SpSV --backend host --eigen --repeat 2 --round-time "
        "0.05 --minutes 0.02 --plot " +
        picture;
    const outcome shown = run(survey + " --output json");
    REQUIRE(shown.status == 0);
    const json report = json::parse(shown.text);
    double last = 0;
    int compared = 0;
    for (const json& row : report["results"]) {
        if (!row.contains("worst")) continue;
        ++compared;
        double least = HUGE_VAL;
        for (const json& ratio : row["ratio"]) least = std::min(least, ratio.get<double>());
        CHECK(row["worst"] == least);
        CHECK(row["ratio"][row["peer"].get<std::string>()] == least);
        CHECK(least >= last);
        last = least;
    }
    REQUIRE(compared > 0);
    CHECK(report["geometric_means"][0]["count"] == compared);
    CHECK(report["geometric_means"][0]["operation"] == "SpSV");
    CHECK(std::filesystem::file_size(picture) > 500);
}
