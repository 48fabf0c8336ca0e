! As much of OpenCL as tests of clAmdBlas need: a queue on the first device, and buffers.
module opencl
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), parameter :: success = 0, blocking = 1
  integer(c_int64_t), parameter :: all_devices = int(z"FFFFFFFF", c_int64_t), read_write = 1

  interface
    function clGetPlatformIDs(count, platforms, found) bind(c, name="clGetPlatformIDs")
      import
      integer(c_int), value :: count
      type(c_ptr), intent(inout) :: platforms
      integer(c_int), intent(inout) :: found
      integer(c_int) :: clGetPlatformIDs
    end function
    function clGetDeviceIDs(platform, kind, count, devices, found) bind(c, name="clGetDeviceIDs")
      import
      type(c_ptr), value :: platform
      integer(c_int64_t), value :: kind
      integer(c_int), value :: count
      type(c_ptr), intent(inout) :: devices
      integer(c_int), intent(inout) :: found
      integer(c_int) :: clGetDeviceIDs
    end function
    function clCreateContext(properties, count, devices, callback, data, error) bind(c, name="clCreateContext")
      import
      type(c_ptr), value :: properties
      integer(c_int), value :: count
      type(c_ptr), intent(in) :: devices
      type(c_funptr), value :: callback
      type(c_ptr), value :: data
      integer(c_int), intent(inout) :: error
      type(c_ptr) :: clCreateContext
    end function
    function clCreateCommandQueue(context, device, properties, error) bind(c, name="clCreateCommandQueue")
      import
      type(c_ptr), value :: context, device
      integer(c_int64_t), value :: properties
      integer(c_int), intent(inout) :: error
      type(c_ptr) :: clCreateCommandQueue
    end function
    function clCreateBuffer(context, flags, bytes, host, error) bind(c, name="clCreateBuffer")
      import
      type(c_ptr), value :: context
      integer(c_int64_t), value :: flags
      integer(c_size_t), value :: bytes
      type(c_ptr), value :: host
      integer(c_int), intent(inout) :: error
      type(c_ptr) :: clCreateBuffer
    end function
    function clEnqueueWriteBuffer(queue, buffer, wait, offset, bytes, from, events, list, event) &
        & bind(c, name="clEnqueueWriteBuffer")
      import
      type(c_ptr), value :: queue, buffer
      integer(c_int), value :: wait
      integer(c_size_t), value :: offset, bytes
      type(c_ptr), value :: from
      integer(c_int), value :: events
      type(c_ptr), value :: list, event
      integer(c_int) :: clEnqueueWriteBuffer
    end function
    function clEnqueueReadBuffer(queue, buffer, wait, offset, bytes, to, events, list, event) bind(c, &
      & name="clEnqueueReadBuffer")
      import
      type(c_ptr), value :: queue, buffer
      integer(c_int), value :: wait
      integer(c_size_t), value :: offset, bytes
      type(c_ptr), value :: to
      integer(c_int), value :: events
      type(c_ptr), value :: list, event
      integer(c_int) :: clEnqueueReadBuffer
    end function
    function clReleaseMemObject(buffer) bind(c, name="clReleaseMemObject")
      import
      type(c_ptr), value :: buffer
      integer(c_int) :: clReleaseMemObject
    end function
    function clReleaseCommandQueue(queue) bind(c, name="clReleaseCommandQueue")
      import
      type(c_ptr), value :: queue
      integer(c_int) :: clReleaseCommandQueue
    end function
    function clReleaseContext(context) bind(c, name="clReleaseContext")
      import
      type(c_ptr), value :: context
      integer(c_int) :: clReleaseContext
    end function
  end interface

contains

  subroutine must(status, what)
    integer(c_int), intent(in) :: status
    character(len=*), intent(in) :: what
    if (status /= success) then
      print *, what, " failed with status", status
      error stop 1
    end if
  end subroutine

  ! A context and a queue on the first device; where there is none the test is skipped.
  subroutine open_queue(context, queue)
    type(c_ptr), intent(out) :: context, queue
    type(c_ptr) :: platform, device
    integer(c_int) :: found, error
    platform = c_null_ptr
    device = c_null_ptr
    if (clGetPlatformIDs(1_c_int, platform, found) /= success) stop 77
    if (clGetDeviceIDs(platform, all_devices, 1_c_int, device, found) /= success) stop 77
    context = clCreateContext(c_null_ptr, 1_c_int, device, c_null_funptr, c_null_ptr, error)
    call must(error, "clCreateContext")
    queue = clCreateCommandQueue(context, device, 0_c_int64_t, error)
    call must(error, "clCreateCommandQueue")
  end subroutine

end module opencl
