#pragma once
// What Setup and Teardown switch.

namespace heron::clblas {

// Loads the OpenCL plug-in; throws core::error when there is none.
void set_up();
void tear_down();
bool is_set_up();

unsigned long long add_image();
bool remove_image(unsigned long long id);

}  // namespace heron::clblas
