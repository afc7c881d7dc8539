//! Parquet and Arrow, where a build has them not; where it has, the tests are those of `python/`.

#[cfg(not(feature = "parquet"))]
use crate::quadrille;

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_tables_says_how_to_get_them() {
    let dir = tempfile::tempdir().expect("a directory");
    for (bytes, word) in
        [(&b"PAR1...."[..], "Parquet"), (b"ARROW1\0\0", "Arrow"), (b"\xff\xff\xff\xff", "Arrow")]
    {
        let path = dir.path().join("input");
        std::fs::write(&path, bytes).expect("a file");
        let said = quadrille("solve").arg(&path).fails(6);
        assert!(said.contains(word) && said.contains("--features parquet"), "{said}");
    }
    for words in ["--output parquet", "-o OUT.arrow"] {
        let words = words.replace("OUT", dir.path().join("out").to_str().expect("text"));
        let said = quadrille("solve data/4x4.txt").args(&words).fails(2);
        assert!(said.contains("--features parquet"), "{said}");
    }
    let said = quadrille("solve --format parquet data/4x4.txt").fails(6);
    assert!(said.contains("--features parquet"), "{said}");
}
