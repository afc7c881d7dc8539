//! Vectors of 64-bit words on every instruction set, behind one trait: the package's only unsafe code.
