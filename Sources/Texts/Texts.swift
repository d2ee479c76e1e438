/// The texts that people read, as files in the folders of this module; `bundle.sh` writes them into
/// the program. All are UTF-8, and each ends with a line end.
package enum Texts {
    /// The content of a file, or nil if there is none of this name.
    /// - Parameter path: The folder and the name: `mail/verify-email.de.mail`.
    package static func file(_ path: String) -> String? { files[path].map(String.init) }

    /// The lines `key: text` of a file, by key; empty if there is no such file.
    /// - Parameter path: As for `file`.
    package static func lines(_ path: String) -> [String: String] {
        var lines: [String: String] = [:]
        for line in (file(path) ?? "").utf8.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let text = line[line.index(after: colon)...].drop { $0 == UInt8(ascii: " ") }
            lines[String(Substring(line[..<colon]))] = String(Substring(text))
        }
        return lines
    }

    /// The lines of a text in a language or in its formal voice, whose file has only the lines that
    /// differ.
    /// - Parameters:
    ///   - name: The folder and the name without language and ending: `error/errors`.
    ///   - language: `de`, or `de-formal`.
    package static func lines(_ name: String, in language: String) -> [String: String] {
        let plain = lines("\(name).\(language.prefix { $0 != "-" }).txt")
        return plain.merging(lines("\(name).\(language).txt")) { _, formal in formal }
    }

    /// The folder and name of each file, sorted.
    package static var paths: [String] { files.keys.sorted() }

    /// Slices of the literal, so that no program holds the texts twice.
    private static let files: [String: Substring] = {
        let text = TextBundle.text
        var files: [String: Substring] = [:]
        var (path, start) = ("", text.startIndex)
        var line = text.startIndex
        while let end = text.utf8[line...].firstIndex(of: UInt8(ascii: "\n")) {
            let next = text.utf8.index(after: end)
            if text.utf8[line..<end].starts(with: "==> ".utf8) {
                files[path] = text[start..<line]
                (path, start) = (String(text[line..<end].dropFirst(4)), next)
            }
            line = next
        }
        files[path] = text[start...]
        files[""] = nil
        return files
    }()
}
