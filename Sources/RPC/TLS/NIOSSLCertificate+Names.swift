import NIOSSL
import ServiceRuntime

extension NIOSSLCertificate {
    /// The names that the certificate speaks for: the DNS names and URIs (`spiffe://…`) among its
    /// subject's alternative names. The common name is none of them: it is free text that no issuer
    /// need check, and RFC 9525 (6.3) has verifiers ignore it. A wildcard names nobody.
    ///
    /// A URI counts only with a scheme, so that none can pass for a DNS name, which an issuer may
    /// guard with another rule.
    var names: [String] { texts.filter { !$0.isHostPattern }.map(\.text) }

    /// Whether it is `host`'s, as RFC 9525 has it: one of its DNS names is the same, or has a
    /// wildcard for the whole first label. NIOSSL alone would also take a common name, or a
    /// certificate for the address that was dialled in place of the name that was asked for.
    func isFor(host: String) -> Bool {
        let host = host.lowercased()
        return texts.contains { name in
            guard name.isDNS else { return false }
            let text = name.text.lowercased()
            guard name.isHostPattern else { return text == host }
            guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
            return text.hasPrefix("*.") && text.dropFirst(2) == host[host.index(after: dot)...]
                && text.dropFirst(2).contains(".")
        }
    }

    private struct Name {
        let text: String
        let isDNS: Bool
        var isHostPattern: Bool { isDNS && text.contains("*") }
    }

    private var texts: [Name] {
        _subjectAlternativeNames().compactMap { name in
            let bytes = Array(name.contents)
            // Printable ASCII alone: a NUL or a space could make two readers see two names.
            guard (1...Self.nameBytesMax).contains(bytes.count),
                bytes.allSatisfy({ (0x21...0x7E).contains($0) })
            else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            switch name.nameType {
            case .dnsName: return text.contains("://") ? nil : Name(text: text, isDNS: true)
            case .uri: return text.contains("://") ? Name(text: text, isDNS: false) : nil
            default: return nil
            }
        }
    }

    /// Whether its time has begun and is not over.
    func isValid(at now: Timestamp) -> Bool {
        let seconds = now.seconds
        return Int64(notValidBefore) <= seconds && seconds <= Int64(notValidAfter)
    }

    /// The longest name that is taken, in bytes: SPIFFE's limit.
    private static var nameBytesMax: Int { 2_048 }
}
