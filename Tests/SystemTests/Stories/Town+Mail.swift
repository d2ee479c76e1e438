import SMTPSink

extension Town {
    /// The text of the mails that have come for an address, the oldest first.
    func letters(to address: String) -> [String] {
        mails.mails.filter { $0.to.contains("<\(address)>") }.map { Self.text(of: $0) }
    }

    /// The latest letter to an address that says `words`, once it is there.
    func letter(to address: String, saying words: String) async throws -> String {
        var letters: [String] = []
        let isThere = try await eventually {
            letters = self.letters(to: address)
            return letters.contains { $0.contains(words) }
        }
        guard isThere, let letter = letters.last(where: { $0.contains(words) }) else {
            throw ClusterError(said: "no letter to \(address) says \(words): \(letters)")
        }
        return letter
    }

    /// The token of the latest link to `page` that was mailed to an address.
    func linkToken(to address: String, page: String) async throws -> String {
        let start = "\(page)?token="
        let letter = try await letter(to: address, saying: start)
        guard let token = letter.split(separator: start).dropFirst().first else {
            throw ClusterError(said: "a letter without a token")
        }
        return String(token.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
    }

    /// Header and body as a person's program shows them; quoted-printable (RFC 2045, 6.7) only as far
    /// as English letters need it.
    private static func text(of mail: SMTPSink.Mail) -> String {
        String(decoding: mail.bytes, as: UTF8.self)
            .split(separator: "=\r\n", omittingEmptySubsequences: false).joined()
            .split(separator: "=3D", omittingEmptySubsequences: false).joined(separator: "=")
    }
}
