c     The example of the Fortran 77 wrappers (cuSPARSE 13.0, section
c     7.1): a matrix in COO becomes CSR, a sparse vector is scattered, and
c     both are multiplied. Compile with -cpp -DARCH_64=1.
      program example
      implicit none
      integer cuda_malloc
      external cuda_free
      integer cuda_memcpy_c2fort_int
      integer cuda_memcpy_c2fort_real
      integer cuda_memcpy_fort2c_int
      integer cuda_memcpy_fort2c_real
      integer cuda_memset
      integer cusparse_create
      external cusparse_destroy
      integer cusparse_get_version
      integer cusparse_create_mat_descr
      external cusparse_destroy_mat_descr
      integer cusparse_set_mat_type
      integer cusparse_get_mat_type
      integer cusparse_get_mat_fill_mode
      integer cusparse_get_mat_diag_type
      integer cusparse_set_mat_index_base
      integer cusparse_get_mat_index_base
      integer cusparse_xcoo2csr
      integer cusparse_dsctr
      integer cusparse_dcsrmv
      integer cusparse_dcsrmm
      external get_shifted_address
#if ARCH_64
      integer*8 handle, descrA
      integer*8 cooRowIndex, cooColIndex, cooVal
      integer*8 xInd, xVal, y, z, csrRowPtr, ynp1
#else
      integer*4 handle, descrA
      integer*4 cooRowIndex, cooColIndex, cooVal
      integer*4 xInd, xVal, y, z, csrRowPtr, ynp1
#endif
      integer n, nnz, nnz_vector
      parameter (n=4, nnz=9, nnz_vector=3)
      integer rows(nnz), columns(nnz), xIndHost(nnz_vector)
      real*8 values(nnz), xValHost(nnz_vector)
      real*8 yHost(2*n), zHost(2*(n+1))
      real*8 yWanted(2*n), zWanted(2*(n+1))
      integer rowPtrHost(n+1), rowPtrWanted(n+1)
      integer status, i, version
      real*8 dzero, dtwo, dthree, dfive
c     | 1 . 2 3 |
c     | . 4 . . |
c     | 5 . 6 7 |
c     | . 8 . 9 |
      data rows /1,1,1,2,3,3,3,4,4/
      data columns /1,3,4,2,1,3,4,2,4/
      data values /1d0,2d0,3d0,4d0,5d0,6d0,7d0,8d0,9d0/
      data xIndHost /1,2,4/
      data xValHost /100d0,200d0,400d0/
      data yHost /10d0,20d0,30d0,40d0,50d0,60d0,70d0,80d0/
      data rowPtrWanted /1,4,5,8,10/
      data yWanted /10d0,20d0,30d0,40d0,680d0,760d0,1230d0,2240d0/
      data zWanted /950d0,400d0,2550d0,2600d0,0d0,
     $              49300d0,15200d0,132300d0,131200d0,0d0/
      data dzero, dtwo, dthree, dfive /0d0, 2d0, 3d0, 5d0/

      status = cuda_malloc(cooRowIndex, nnz*4)
      call must(status, 'cuda_malloc')
      call must(cuda_malloc(cooColIndex, nnz*4), 'cuda_malloc')
      call must(cuda_malloc(cooVal, nnz*8), 'cuda_malloc')
      call must(cuda_malloc(y, 2*n*8), 'cuda_malloc')
      call must(cuda_malloc(xInd, nnz_vector*4), 'cuda_malloc')
      call must(cuda_malloc(xVal, nnz_vector*8), 'cuda_malloc')
      call must(cuda_malloc(csrRowPtr, (n+1)*4), 'cuda_malloc')
      call must(cuda_malloc(z, 2*(n+1)*8), 'cuda_malloc')
      call must(cuda_memcpy_fort2c_int(cooRowIndex, rows, nnz*4, 1),
     $          'rows')
      call must(cuda_memcpy_fort2c_int(cooColIndex, columns, nnz*4, 1),
     $          'columns')
      call must(cuda_memcpy_fort2c_real(cooVal, values, nnz*8, 1),
     $          'values')
      call must(cuda_memcpy_fort2c_real(y, yHost, 2*n*8, 1), 'y')
      call must(cuda_memcpy_fort2c_int(xInd, xIndHost, nnz_vector*4,1),
     $          'xInd')
      call must(cuda_memcpy_fort2c_real(xVal, xValHost, nnz_vector*8,
     $          1), 'xVal')

      call must(cusparse_create(handle), 'cusparse_create')
      call must(cusparse_get_version(handle, version), 'version')
      call must(cusparse_create_mat_descr(descrA), 'descriptor')
      call must(cusparse_set_mat_type(descrA, 0), 'type')
      call must(cusparse_set_mat_index_base(descrA, 1), 'base')
      write(*,*) 'version', version,
     $           't=', cusparse_get_mat_type(descrA),
     $           'm=', cusparse_get_mat_fill_mode(descrA),
     $           'd=', cusparse_get_mat_diag_type(descrA),
     $           'b=', cusparse_get_mat_index_base(descrA)
      if (cusparse_get_mat_index_base(descrA) .ne. 1) stop 1

      call must(cusparse_xcoo2csr(handle, cooRowIndex, nnz, n,
     $          csrRowPtr, 1), 'xcoo2csr')
      call must(cuda_memcpy_c2fort_int(rowPtrHost, csrRowPtr,
     $          (n+1)*4, 2), 'row pointers')
      do i = 1, n+1
        if (rowPtrHost(i) .ne. rowPtrWanted(i)) stop 1
      end do

c     y = [10 20 30 40 | 100 200 70 400]
      call get_shifted_address(y, n*8, ynp1)
      call must(cusparse_dsctr(handle, nnz_vector, xVal, xInd, ynp1,
     $          1), 'dsctr')
c     The second half becomes 2*A*(the first) + 3*(the second).
      call must(cusparse_dcsrmv(handle, 0, n, n, nnz, dtwo, descrA,
     $          cooVal, csrRowPtr, cooColIndex, y, dthree, ynp1),
     $          'dcsrmv')
      call must(cuda_memcpy_c2fort_real(yHost, y, 2*n*8, 2), 'y')

c     z = 5*A*[first, second], with a row to spare
      call must(cuda_memset(z, 0, 2*(n+1)*8), 'cuda_memset')
      call must(cusparse_dcsrmm(handle, 0, n, 2, n, nnz, dfive, descrA,
     $          cooVal, csrRowPtr, cooColIndex, y, n, dzero, z, n+1),
     $          'dcsrmm')
      call must(cuda_memcpy_c2fort_real(zHost, z, 2*(n+1)*8, 2), 'z')

      status = 0
      do i = 1, 2*n
        if (dabs(yHost(i) - yWanted(i)) .gt. 1d-14) status = 1
      end do
      do i = 1, 2*(n+1)
        if (dabs(zHost(i) - zWanted(i)) .gt. 1d-14) status = 1
      end do

      call cuda_free(cooRowIndex)
      call cuda_free(cooColIndex)
      call cuda_free(cooVal)
      call cuda_free(xInd)
      call cuda_free(xVal)
      call cuda_free(y)
      call cuda_free(z)
      call cuda_free(csrRowPtr)
      call cusparse_destroy_mat_descr(descrA)
      call cusparse_destroy(handle)
      if (status .ne. 0) then
        write(*,*) 'fortran example test FAILED'
        stop 1
      end if
      write(*,*) 'fortran example test PASSED'
      end

      subroutine must(status, what)
      implicit none
      integer status
      character*(*) what
      if (status .ne. 0) then
        write(*,*) what, ' failed with status', status
        stop 1
      end if
      end
