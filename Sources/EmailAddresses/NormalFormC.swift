@_spi(_Unicode) import Swift

/// Unicode's Normalization Form C (UAX #15): one spelling for what looks and means the same, since
/// keyboards differ in how they write an accented letter.
///
/// The standard library normalises each string that it compares; this is the only place that asks
/// it for the result, through the interface that Foundation uses too.
package enum NormalFormC {
    /// `text` in Normalization Form C, as UTF-8.
    package static func utf8(of text: some StringProtocol) -> [UInt8] {
        Array(String(String.UnicodeScalarView(String(text)._nfc)).utf8)
    }

    /// Hands each code point of `text` in Normalization Form C to `body`: for a text of which no other
    /// String may be made.
    package static func forEachScalar(of text: String, _ body: (Unicode.Scalar) -> Void) {
        for scalar in text._nfc { body(scalar) }
    }
}
