import Messages

/// A device with the name that its owner gave it. `DeviceWords` filters the name before it appears
/// in a mail.
struct DeviceShown: Hashable, Sendable {
    let name: String
    let platform: String

    init(name: String, platform: String) {
        self.name = name
        self.platform = platform
    }

    /// The device that sent a request.
    init(_ origin: IdentityV1.Origin?) {
        self.init(name: origin?.deviceName ?? "", platform: origin?.platform ?? "")
    }
}

/// Filters a device name for use in a mail: letters, digits and a few punctuation marks are kept,
/// and everything else becomes a space. Attack: a device name that contains a link, an address or
/// an instruction to the reader.
enum DeviceWords {
    private static let charactersMax = 40
    /// One character can consist of many code points; the notification service accepts 256 bytes.
    private static let bytesMax = 160

    /// The filtered name, or else the filtered platform; empty when neither has permitted
    /// characters.
    static func words(name: String, platform: String) -> String {
        let words = plain(name)
        return words.isEmpty ? plain(platform) : words
    }

    private static func plain(_ text: String) -> String {
        var kept = ""
        for character in text.prefix(charactersMax) {
            let character = isPlain(character) ? character : " "
            guard kept.utf8.count + character.utf8.count <= bytesMax else { break }
            kept.append(character)
        }
        return kept.split(separator: " ").joined(separator: " ")
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "'’-()".contains(character)
    }
}
