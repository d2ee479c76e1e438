/// The texts that people read, as files in the folders of this module; `bundle.sh` writes them into
/// the program. All are UTF-8, and each ends with a line end.
package enum Texts {
    /// The content of a file, or nil if there is none of this name.
    /// - Parameter path: The folder and the name: `mail/verify-email.de.mail`.
    package static func file(_ path: String) -> String? { files[path] }

    /// The folder and name of each file, sorted.
    package static var paths: [String] { files.keys.sorted() }

    /// Read once, at the first use.
    private static let files: [String: String] = {
        let (newline, head) = (UInt8(ascii: "\n"), "==> ".utf8)
        var files: [String: String] = [:]
        var path = ""
        for line in TextBundle.text.utf8.split(separator: newline, omittingEmptySubsequences: false)
        {
            if line.starts(with: head) {
                path = String(Substring(line.dropFirst(head.count)))
            } else {
                files[path, default: ""] += Substring(line)
                files[path, default: ""] += "\n"
            }
        }
        return files
    }()
}
