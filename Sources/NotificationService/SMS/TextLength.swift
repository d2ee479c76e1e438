/// How many messages a text becomes on its way to a phone, each of which is paid for
/// (3GPP TS 23.038, TS 23.040): 160 characters of the GSM alphabet, or 70 of UTF-16 once a single
/// character is outside of it; a little less each where there are several.
enum TextLength {
    /// The messages that `text` becomes.
    static func segments(of text: String) -> Int {
        if let septets = septets(of: text) {
            return septets <= 160 ? 1 : (septets + 152) / 153
        }
        let units = text.utf16.count
        return units <= 70 ? 1 : (units + 66) / 67
    }

    /// The length in the GSM alphabet, where a few characters count twice; nil when `text` holds
    /// another.
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
