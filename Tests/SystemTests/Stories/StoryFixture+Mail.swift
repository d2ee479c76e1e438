import Foundation
import SMTPSink
import TestSupport

extension StoryFixture {
    /// The text of the mails to an address, oldest first.
    func letters(to address: String) -> [String] {
        mails.mails.filter { $0.to.contains("<\(address)>") }.map { Self.text(of: $0) }
    }

    /// The ids of the messages of the mails to an address that contain `words`: one that was in
    /// flight at a crash comes twice, with the same id.
    func messages(to address: String, saying words: String) -> Set<String?> {
        let mails = mails.mails.filter {
            $0.to.contains("<\(address)>") && Self.text(of: $0).contains(words)
        }
        return Set(mails.map(\.messageID))
    }

    /// The latest mail to an address that contains `words`; waits for the mail.
    func letter(to address: String, saying words: String) async throws -> String {
        var letters: [String] = []
        let isThere = try await eventually {
            letters = self.letters(to: address)
            return letters.contains { $0.contains(words) }
        }
        guard isThere, let letter = letters.last(where: { $0.contains(words) }) else {
            throw ClusterError(message: "no mail to \(address) contains \(words): \(letters)")
        }
        return letter
    }

    /// The token of the latest link to `page` that was mailed to an address.
    func linkToken(to address: String, page: String) async throws -> String {
        let start = "\(page)?token="
        let letter = try await letter(to: address, saying: start)
        guard let token = letter.split(separator: start).dropFirst().first else {
            throw ClusterError(message: "a mail without a token")
        }
        return String(token.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    }

    /// Header and body as a mail client shows them. Quoted-printable (RFC 2045, 6.7) is decoded
    /// only as far as English mails need it.
    private static func text(of mail: SMTPSink.Mail) -> String {
        String(decoding: mail.bytes, as: UTF8.self)
            .split(separator: "=\r\n", omittingEmptySubsequences: false).joined()
            .split(separator: "=3D", omittingEmptySubsequences: false).joined(separator: "=")
    }
}

extension SMTPSink.Mail {
    /// The id of the message, from its Message-ID.
    var messageID: String? {
        let header = String(decoding: bytes.prefix(2_048), as: UTF8.self)
        guard let start = header.range(of: "Message-ID: <")?.upperBound,
            let end = header[start...].firstIndex(of: "@")
        else { return nil }
        return String(header[start..<end])
    }
}
