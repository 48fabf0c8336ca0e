// 16 bytes of neighbouring elements at a time.

#define heron_real_of_f32 float
#define heron_real_of_f64 double
#define heron_real_of_c32 float
#define heron_real_of_c64 double
#define heron_quad_of_f32 float4
#define heron_quad_of_f64 double2
#define heron_quad_of_c32 float4
#define heron_quad_of_c64 double2
#define RT HERON_NAME1(heron_real_of, CT)
#define QUAD_T HERON_NAME1(heron_quad_of, CT)
#define heron_put_quad_f32(v, to) vstore4(v, 0, (RT*)(to))
#define heron_put_quad_f64(v, to) vstore2(v, 0, (RT*)(to))
#define heron_put_quad_c32(v, to) vstore4(v, 0, (RT*)(to))
#define heron_put_quad_c64(v, to) vstore2(v, 0, (RT*)(to))
#define heron_get_quad_f32(from) vload4(0, (const RT*)(from))
#define heron_get_quad_f64(from) vload2(0, (const RT*)(from))
#define heron_get_quad_c32(from) vload4(0, (const RT*)(from))
#define heron_get_quad_c64(from) vload2(0, (const RT*)(from))
#define PUT_QUAD(v, to) HERON_NAME1(heron_put_quad, CT)(v, to)
#define GET_QUAD(from) HERON_NAME1(heron_get_quad, CT)(from)
