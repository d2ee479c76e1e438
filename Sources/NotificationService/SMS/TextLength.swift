/// The number of segments in which a text is transmitted, each of which is charged (3GPP TS 23.038,
/// TS 23.040): up to 160 characters of the GSM alphabet, or 70 UTF-16 units if a single character
/// is outside it. In a text of several segments each holds a little less.
enum TextLength {
    /// The number of segments of `text`.
    static func segments(of text: String) -> Int {
        if let septets = septets(of: text) {
            return septets <= 160 ? 1 : (septets + 152) / 153
        }
        let units = text.utf16.count
        return units <= 70 ? 1 : (units + 66) / 67
    }

    /// The length in the GSM alphabet, where a few characters count twice; nil when `text` has a
    /// character that is not in it.
    private static func septets(of text: String) -> Int? {
        var count = 0
        for scalar in text.unicodeScalars {
            if basic.contains(scalar) {
                count += 1
            } else if extended.contains(scalar) {
                count += 2
            } else {
                return nil
            }
        }
        return count
    }

    private static let basic = Set(
        ("@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡"
            + "ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà").unicodeScalars)
    private static let extended = Set("\u{0C}^{}\\[~]|€".unicodeScalars)
}
