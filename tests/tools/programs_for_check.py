"""Programs for the tests of heron check and heron run, linked against libraries that are made here in other vendors' names."""
import os
import pathlib
import shutil
import subprocess
import sys

TOOLKIT = pathlib.Path(os.environ.get("CUDA_PATH", "/usr/local/cuda"))
FORTRAN = os.environ.get("FC") or shutil.which("gfortran")
FORTRAN_TEXT = """\
program caller
  use iso_c_binding, only: c_int, c_ptr
  implicit none
  interface
    function create(handle) bind(C, name="cusparseCreate") result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(out) :: handle
      integer(c_int) :: status
    end function
  end interface
  type(c_ptr) :: handle
  if (create(handle) /= 0) stop 5
  print '(a)', 'created'
end program
"""


def must(*command, **options):
    result = subprocess.run([str(c) for c in command], text=True, capture_output=True, **options)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


class Maker:
    def __init__(self, folder, compiler):
        self.folder, self.compiler = pathlib.Path(folder), compiler

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def stub(self, soname, names, node="same", folder="stubs", answer=1):
        """A library whose functions all answer with one number. node: its version node, None for none."""
        place = self.folder / folder
        place.mkdir(exist_ok=True)
        source = self.write("stub.c", "".join(f"int {name}(void) {{ return {answer}; }}\n" for name in names))
        options = []
        if node:
            script = self.write("stub.map", f"{soname if node == 'same' else node} {{ global: *; }};\n")
            options = [f"-Wl,--version-script={script}"]
        must(self.compiler, "-shared", "-fPIC", source, f"-Wl,-soname,{soname}", *options, "-o", place / soname)
        return place / soname

    def caller(self, name, functions, *libraries, options=(), shared=False):
        """A program (or library) that calls functions without arguments and answers with the sum."""
        declared = "".join(f"int {f}(void);\n" for f in functions)
        called = " + ".join(f"{f}()" for f in functions) or "0"
        entry = f"int {name.replace('.', '_').replace('-', '_')}_entry(void)" if shared else "int main(void)"
        source = self.write(f"{name}.c", f"{declared}{entry} {{ return {called}; }}\n")
        kind = ["-shared", "-fPIC", f"-Wl,-soname,{name}"] if shared else []
        must(self.compiler, *kind, source, *options, "-Wl,--no-as-needed", *libraries, "-o", self.folder / name)
        return self.folder / name

    def fortran(self, name, *libraries):
        """A Fortran program that makes a handle of cuSPARSE and says "created"; None without a compiler."""
        if not FORTRAN:
            return None
        must(FORTRAN, self.write(f"{name}.f90", FORTRAN_TEXT), *libraries, "-o", self.folder / name)
        return self.folder / name

    def with_static_runtime(self, name):
        """A program with NVIDIA's CUDA runtime inside, whose status is cudaMalloc's; None without a toolkit."""
        archive = TOOLKIT / "lib64/libcudart_static.a"
        if not archive.exists():
            return None
        source = self.write(f"{name}.c", "int cudaMalloc(void**, unsigned long);\n"
                            "int main(void) { void* p; return cudaMalloc(&p, 8); }")
        must(self.compiler, source, archive, "-ldl", "-lpthread", "-lrt", "-o", self.folder / name)
        return self.folder / name
