import FoundationEssentials

/// Reads the inbox folder, for a person or a test that waits for a mail.
package struct MaildirReader: Sendable {
    private let folder: String

    /// A reader of the Maildir in `folder`.
    package init(folder: String) {
        self.folder = folder
    }

    /// All mails, the oldest first; none if the folder does not exist.
    package func mails() -> [Mail] {
        ["new", "cur"].flatMap(files).sorted { $0.name < $1.name }.compactMap { file in
            // The mail was moved or deleted since the listing.
            guard let bytes = try? Data(contentsOf: URL(filePath: file.path)) else { return nil }
            return Mail(name: file.name, bytes: Array(bytes))
        }
    }

    private func files(_ part: String) -> [(name: String, path: String)] {
        // A folder that does not exist, or is not a Maildir, has no mails.
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(part)")) ?? []
        return names.map { ($0, "\(folder)/\(part)/\($0)") }
    }
}

extension MaildirReader {
    /// A mail of the inbox in readable form. Made for mails that `MailMessage` writes; of other
    /// mails it shows what it can parse.
    package struct Mail: Hashable, Sendable {
        /// The file's name; sorts by time.
        package let name: String
        /// The header fields, unfolded, by lower-case name.
        package let fields: [String: String]
        /// The text part.
        package let text: String

        /// The sender.
        package var from: String { fields["from"] ?? "" }
        /// The recipient.
        package var to: String { fields["to"] ?? "" }
        /// The subject.
        package var subject: String { EncodedWords.decode(fields["subject"] ?? "") }
        /// The time of acceptance, as the header has it.
        package var date: String { fields["date"] ?? "" }

        /// Parses a file's bytes.
        package init(name: String, bytes: [UInt8]) {
            let lines = String(decoding: bytes, as: UTF8.self).unixLines
            let (fields, body) = Self.header(lines[...])
            self.name = name
            self.fields = fields
            text = Self.textPart(fields, body)
        }

        private static func header(
            _ lines: ArraySlice<Substring>
        ) -> (fields: [String: String], body: ArraySlice<Substring>) {
            let end = lines.firstIndex(of: "") ?? lines.endIndex
            var fields: [String: String] = [:]
            var name = ""
            for line in lines[..<end] {
                if line.first == " " || line.first == "\t" {
                    fields[name, default: ""] += line
                } else if let colon = line.firstIndex(of: ":") {
                    name = line[..<colon].lowercased()
                    fields[name] = String(line[line.index(after: colon)...].drop { $0 == " " })
                }
            }
            return (fields, lines[end...].dropFirst())
        }

        private static func textPart(
            _ fields: [String: String], _ body: ArraySlice<Substring>
        ) -> String {
            let type = fields["content-type"] ?? ""
            guard
                let boundary = type.split(separator: "boundary=\"").dropFirst().first?.prefix(
                    while: { $0 != "\"" }), !boundary.isEmpty
            else { return decoded(fields, body) }
            for part in body.split(whereSeparator: { $0.hasPrefix("--\(boundary)") }) {
                let (fields, body) = header(part)
                if (fields["content-type"] ?? "").hasPrefix("text/plain") {
                    return decoded(fields, body)
                }
            }
            return ""
        }

        private static func decoded(
            _ fields: [String: String], _ body: ArraySlice<Substring>
        ) -> String {
            let text = body.joined(separator: "\n")
            let encoding = fields["content-transfer-encoding"]?.lowercased()
            return encoding == "quoted-printable" ? QuotedPrintable.decode(text) : text
        }
    }
}

extension String {
    /// The lines, terminated by CR LF or LF.
    fileprivate var unixLines: [Substring] {
        split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }
    }
}
