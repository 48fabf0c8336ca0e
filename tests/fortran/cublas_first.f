c     The first interface of cuBLAS from Fortran 77: C = 2*A*B^T + 0.5*C by
c     dgemm, functions that return real and complex numbers, a rotation.
      program first
      implicit none
      integer m, n, k
      parameter (m=7, n=5, k=6)
      integer cublas_init, cublas_alloc, cublas_set_matrix
      integer cublas_get_matrix, cublas_set_vector, cublas_get_error
      integer cublas_idamax
      real*8 cublas_dnrm2
      complex*16 cublas_zdotu
      external cublas_dgemm, cublas_free, cublas_shutdown
      external cublas_drotg
      integer*8 dA, dB, dC, dV
      real*8 a(m,k), b(n,k), c(m,n), wanted(m,n), error
      real*8 ra, rb, cosine, sine
      complex*16 v(k), total
      integer i, j, l
      do l = 1, k
        do i = 1, m
          a(i,l) = mod(3*i + 5*l, 11) - 5
        end do
        do j = 1, n
          b(j,l) = mod(2*j + 7*l, 9) - 4
        end do
        v(l) = dcmplx(dble(l), dble(mod(l,3) - 1))
      end do
      total = (0d0, 0d0)
      do l = 1, k
        total = total + v(l)*v(l)
      end do
      do j = 1, n
        do i = 1, m
          c(i,j) = i - j
          wanted(i,j) = 0.5d0*c(i,j)
          do l = 1, k
            wanted(i,j) = wanted(i,j) + 2d0*a(i,l)*b(j,l)
          end do
        end do
      end do

      if (cublas_init() .ne. 0) stop 1
      if (cublas_alloc(m*k, 8, dA) .ne. 0) stop 1
      if (cublas_alloc(n*k, 8, dB) .ne. 0) stop 1
      if (cublas_alloc(m*n, 8, dC) .ne. 0) stop 1
      if (cublas_alloc(k, 16, dV) .ne. 0) stop 1
      if (cublas_set_matrix(m, k, 8, a, m, dA, m) .ne. 0) stop 1
      if (cublas_set_matrix(n, k, 8, b, n, dB, n) .ne. 0) stop 1
      if (cublas_set_matrix(m, n, 8, c, m, dC, m) .ne. 0) stop 1
      if (cublas_set_vector(2*k, 8, v, 1, dV, 1) .ne. 0) stop 1
      call cublas_dgemm('N', 'T', m, n, k, 2d0, dA, m, dB, n, 0.5d0,
     $                  dC, m)
      if (cublas_get_error() .ne. 0) stop 1
      if (cublas_get_matrix(m, n, 8, dC, m, c, m) .ne. 0) stop 1
      error = 0d0
      do j = 1, n
        do i = 1, m
          error = dmax1(error, dabs(c(i,j) - wanted(i,j)))
        end do
      end do
      write(*,*) 'dgemm: largest error', error
      if (error .gt. 1d-12) stop 1
      if (cdabs(cublas_zdotu(k, dV, 1, dV, 1) - total) .gt. 1d-12)
     $  stop 1
      if (dabs(cublas_dnrm2(m*k, dA, 1) - dsqrt(sum(a*a))) .gt. 1d-12)
     $  stop 1
      if (cublas_idamax(n*k, dB, 1) .ne.
     $    maxloc(dabs(reshape(b, (/n*k/))), 1)) stop 1
      ra = 3d0
      rb = 4d0
      call cublas_drotg(ra, rb, cosine, sine)
      if (dabs(cosine - 0.6d0) .gt. 1d-14) stop 1
      if (dabs(ra - 5d0) .gt. 1d-14) stop 1
      call cublas_free(dA)
      call cublas_free(dB)
      call cublas_free(dC)
      call cublas_free(dV)
      call cublas_shutdown()
      end
