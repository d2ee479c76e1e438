/// A device's name as it may stand in our mail: letters, digits and a few marks, so that no name
/// can make a link, an address or a sentence with a call to act on; the rest becomes a space.
enum DeviceWords {
    private static let charactersMax = 40
    /// One character can be many code points long; notification takes 256 bytes.
    private static let bytesMax = 160

    /// The name, or else the platform; empty where nothing is left.
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
