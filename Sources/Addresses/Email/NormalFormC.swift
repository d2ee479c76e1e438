@_spi(_Unicode) import Swift

/// Unicode's Normalization Form C (UAX #15): one encoding for texts that look and mean the same,
/// since keyboards differ in how they encode an accented letter.
///
/// The standard library normalises each string that it compares. Only this type reads the result,
/// through the interface that Foundation also uses.
package enum NormalFormC {
    /// `text` in Normalization Form C, as UTF-8.
    package static func utf8(of text: some StringProtocol) -> [UInt8] {
        Array(String(String.UnicodeScalarView(String(text)._nfc)).utf8)
    }

    /// Calls `body` with each code point of `text` in Normalization Form C, without creating
    /// another String.
    package static func forEachScalar(of text: String, _ body: (Unicode.Scalar) -> Void) {
        for scalar in text._nfc { body(scalar) }
    }
}
