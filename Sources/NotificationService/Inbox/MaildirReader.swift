import FoundationEssentials

/// Reads the inbox folder, for a person or a test that waits for a mail.
package struct MaildirReader: Sendable {
    private let folder: String

    /// A reader of the Maildir in `folder`.
    package init(folder: String) {
        self.folder = folder
    }

    /// All mails, the oldest first; none if the folder does not exist.
    package func mails() -> [InboxMail] {
        ["new", "cur"].flatMap(files).sorted { $0.name < $1.name }.compactMap { file in
            // The mail was moved or deleted since the listing.
            guard let bytes = try? Data(contentsOf: URL(filePath: file.path)) else { return nil }
            return InboxMail(name: file.name, bytes: Array(bytes))
        }
    }

    private func files(_ part: String) -> [(name: String, path: String)] {
        // A folder that does not exist, or is not a Maildir, has no mails.
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(part)")) ?? []
        return names.map { ($0, "\(folder)/\(part)/\($0)") }
    }
}
