"""The module heron_device, and what heron_cudart adds to CUDA's functions: typed addresses of device memory."""
from conventions import wrapped

# type -> (kind of Fortran, bytes); halves are known by their bits alone
TYPES = {"device_real32": ("real(c_float)", 4), "device_real64": ("real(c_double)", 8),
         "device_complex32": ("complex(c_float_complex)", 8), "device_complex64": ("complex(c_double_complex)", 16),
         "device_int32": ("integer(c_int32_t)", 4), "device_int64": ("integer(c_int64_t)", 8),
         "device_half": ("integer(c_int16_t)", 2)}

DEVICE_HEAD = """! Written by src/fortran/generate. Addresses of device memory, each with the type of what lies there, and what
! happens when a call without the argument `status` fails.
module heron_device
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  private :: error_unit
"""

DEVICE_TYPE = """
  type, bind(c) :: {name}
    private
    type(c_ptr) :: pointer = c_null_ptr
  end type
  interface {name}
    module procedure {name}_of_pointer
  end interface
"""

DEVICE_INTERFACES = """
  ! The address that C knows: cusparseCreateCsr and others take it.
  interface device_address
{addresses}
  end interface
  ! The address of the element that lies `count` elements further on.
  interface device_offset
{offsets}
  end interface
  interface
    function last_error_of_heron() bind(c, name="heron_last_error")
      import
      type(c_ptr) :: last_error_of_heron
    end function
    pure function length_of_c_text(text) bind(c, name="strlen")
      import
      type(c_ptr), value :: text
      integer(c_size_t) :: length_of_c_text
    end function
  end interface

contains

  ! A text of C's.
  function heron_text(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    if (.not. c_associated(pointer)) then
      text = ""
      return
    end if
    call c_f_pointer(pointer, letters, [length_of_c_text(pointer)])
    allocate(character(len=size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  ! Says what failed and why, and stops the program.
  subroutine heron_fail(function, status)
    character(len=*), intent(in) :: function, status
    character(len=:), allocatable :: reason
    reason = heron_text(last_error_of_heron())
    if (index(reason, function // ": ") == 1) then
      write (error_unit, "(a)") function // ": " // status // ": " // reason(len(function) + 3:)
    else
      write (error_unit, "(a)") function // ": " // status
    end if
    error stop 1
  end subroutine
"""

DEVICE_PROCEDURES = """
  pure function {name}_of_pointer(pointer) result(device)
    type(c_ptr), intent(in) :: pointer
    type({name}) :: device
    device%pointer = pointer
  end function

  pure function {name}_address(device) result(pointer)
    type({name}), intent(in) :: device
    type(c_ptr) :: pointer
    pointer = device%pointer
  end function

  pure function {name}_offset(device, count) result(further)
    type({name}), intent(in) :: device
    integer(c_int64_t), intent(in) :: count
    type({name}) :: further
    further%pointer = transfer(transfer(device%pointer, 0_c_intptr_t) + {bytes} * count, c_null_ptr)
  end function

  pure function {name}_offset_int(device, count) result(further)
    type({name}), intent(in) :: device
    integer, intent(in) :: count
    type({name}) :: further
    further = {name}_offset(device, int(count, c_int64_t))
  end function
"""

# Memory. `name` is the type, `r` the rank.
MEMORY_GENERICS = """  ! device := memory for `count` elements; and its release, after which it is null.
  interface device_allocate
{allocate}
  end interface
  interface device_free
{free}
  end interface
  ! The elements of an array of the program, in their order in memory, to the device and back.
  interface device_write
{write}
  end interface
  interface device_read
{read}
  end interface"""

MEMORY_PROCEDURES = """
  subroutine {name}_allocate(device, count, status)
    type({name}), intent(inout) :: device
    integer, intent(in) :: count
    integer(c_int), intent(out), optional :: status
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call cuda_malloc(pointer, int(max(count, 0), c_size_t) * {bytes}_c_size_t, status)
    device = {name}(pointer)
  end subroutine

  subroutine {name}_free(device, status)
    type({name}), intent(inout) :: device
    integer(c_int), intent(out), optional :: status
    call cuda_free(device_address(device), status)
    device = {name}(c_null_ptr)
  end subroutine
"""

COPY_PROCEDURES = """
  subroutine {name}_write_{rank}(device, array, status)
    type({name}), intent(in) :: device
    {kind}, intent(in), contiguous, target :: array({shape})
    integer(c_int), intent(out), optional :: status
    call cuda_memcpy(device_address(device), {name}_place(array, size(array)), size(array, kind=c_size_t) * {bytes}, &
      & cudaMemcpyHostToDevice, status)
  end subroutine

  subroutine {name}_read_{rank}(array, device, status)
    {kind}, intent(inout), contiguous, target :: array({shape})
    type({name}), intent(in) :: device
    integer(c_int), intent(out), optional :: status
    call cuda_memcpy({name}_place(array, size(array)), device_address(device), size(array, kind=c_size_t) * {bytes}, &
      & cudaMemcpyDeviceToHost, status)
  end subroutine
"""

PLACE = """
  ! Arrays without elements have no place that C_LOC may be asked for.
  function {name}_place(array, count) result(place)
    integer, intent(in) :: count
    {kind}, intent(in), target :: array(*)
    type(c_ptr) :: place
    place = c_null_ptr
    if (count > 0) place = c_loc(array)
  end function
"""


def members(pattern):
    return "\n".join(f"    module procedure {pattern.format(name=name)}" for name in TYPES)


def device_module():
    text = DEVICE_HEAD + "".join(DEVICE_TYPE.format(name=name) for name in TYPES)
    text += DEVICE_INTERFACES.format(addresses=members("{name}_address"),
                                     offsets=members("{name}_offset") + "\n" + members("{name}_offset_int"))
    text += "".join(DEVICE_PROCEDURES.format(name=name, bytes=size) for name, (_, size) in TYPES.items())
    return "\n".join(wrapped(line) for line in (text + "\nend module heron_device\n").splitlines()) + "\n"


def memory_generics():
    ranks = {1: ":", 2: ":,:", 3: ":,:,:"}
    both = {what: "\n".join(members("{name}_" + f"{what}_{rank}") for rank in ranks) for what in ("write", "read")}
    return MEMORY_GENERICS.format(allocate=members("{name}_allocate"), free=members("{name}_free"), **both).splitlines()


def memory_procedures():
    text = ""
    for name, (kind, size) in TYPES.items():
        text += MEMORY_PROCEDURES.format(name=name, bytes=size) + PLACE.format(name=name, kind=kind)
        for rank, shape in {1: ":", 2: ":,:", 3: ":,:,:"}.items():
            text += COPY_PROCEDURES.format(name=name, kind=kind, bytes=size, rank=rank, shape=shape)
    return text.splitlines()
