import Cryptography

@testable import NotificationService

/// A verifier of DKIM signatures, written for these tests from RFC 6376, section 6. It shares only
/// the canonical forms with the signer's code, and those are tested with the RFC's own examples.
struct DKIMVerifier {
    enum Key {
        case rsa(RSAVerifyingKey)
        case ed25519(Ed25519VerifyingKey)
    }

    /// Keys by selector.
    let keys: [String: Key]

    /// Whether each signature of the mail is valid, by selector.
    func verdicts(_ mail: String) -> [String: Bool] {
        let mail = mail.replacing("\r\n", with: "\n")
        guard let end = mail.firstRange(of: "\n\n") else { return [:] }
        let header = MailHeader(Self.fields(mail[..<end.lowerBound]))
        let body = mail[end.upperBound...].replacing("\n", with: "\r\n")
        var verdicts: [String: Bool] = [:]
        for field in header.fields where field.isNamed("dkim-signature") {
            let tags = Self.tags(field.value)
            guard let selector = tags["s"] else { continue }
            verdicts[selector] = isGood(field, tags, header, body: Array(body.utf8))
        }
        return verdicts
    }

    private func isGood(
        _ field: MailHeader.Field, _ tags: [String: String], _ header: MailHeader, body: [UInt8]
    ) -> Bool {
        guard tags["v"] == "1", tags["c"] == "relaxed/relaxed", tags["l"] == nil,
            let selector = tags["s"], let key = keys[selector], let names = tags["h"],
            let signature = tags["b"].flatMap({ Base64.decode(Array($0.utf8)) }),
            tags["bh"] == Base64.encode(SHA256.hash(DKIMCanonical.body(body))),
            let bare = Self.withoutSignature(field)
        else { return false }
        var data: [UInt8] = []
        var left = header.fields
        for name in names.split(separator: ":") {
            guard let index = left.lastIndex(where: { $0.isNamed(String(name)) }) else { continue }
            data += DKIMCanonical.field(left.remove(at: index)) + [13, 10]
        }
        data += DKIMCanonical.field(bare)
        switch (key, tags["a"]) {
        case (.rsa(let key), "rsa-sha256"): return key.verifies(signature, of: data)
        case (.ed25519(let key), "ed25519-sha256"):
            return key.verifies(signature, of: SHA256.hash(data))
        default: return false
        }
    }

    private static func fields(_ header: Substring) -> [MailHeader.Field] {
        var lines: [String] = []
        for line in header.split(separator: "\n") {
            if line.first == " ", let last = lines.popLast() {
                lines.append(last + "\r\n" + line)
            } else {
                lines.append(String(line))
            }
        }
        return lines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return MailHeader.Field(
                String(line[..<colon]), String(line[line.index(after: colon)...]))
        }
    }

    /// Values without white space: no tag that is read here may contain any.
    private static func tags(_ value: String) -> [String: String] {
        var tags: [String: String] = [:]
        for tag in value.split(separator: ";") {
            guard let equals = tag.firstIndex(of: "=") else { continue }
            let name = tag[..<equals].filter { !$0.isWhitespace }
            tags[name] = tag[tag.index(after: equals)...].filter { !$0.isWhitespace }
        }
        return tags
    }

    /// The field with an empty `b=`, which is the last tag.
    private static func withoutSignature(_ field: MailHeader.Field) -> MailHeader.Field? {
        guard let start = field.value.ranges(of: "b=").last else { return nil }
        return MailHeader.Field(field.name, String(field.value[..<start.upperBound]))
    }
}
