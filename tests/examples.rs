//! The examples run and find what they say.

macro_rules! examples {
    ($($name:ident)*) => {
        $(mod $name {
            include!(concat!("../examples/", stringify!($name), ".rs"));

            #[test]
            fn runs() {
                main().unwrap();
            }
        })*
    };
}

examples! { one_puzzle exact_cover weighted corpus }
