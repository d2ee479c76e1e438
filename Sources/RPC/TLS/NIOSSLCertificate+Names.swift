import NIOSSL
import ServiceRuntime

extension NIOSSLCertificate {
    /// The names that the certificate speaks for: the DNS names and URIs (`spiffe://…`) among its
    /// subject's alternative names. The common name is none of them: it is free text that no issuer
    /// need check, and RFC 9525 (6.3) has verifiers ignore it. A wildcard names nobody.
    ///
    /// A URI counts only with a scheme, so that none can pass for a DNS name, which an issuer may
    /// guard with another rule.
    var names: [String] {
        _subjectAlternativeNames().compactMap { name in
            let bytes = Array(name.contents)
            // Printable ASCII alone: a NUL or a space could make two readers see two names.
            guard (1...Self.nameBytesMax).contains(bytes.count),
                bytes.allSatisfy({ (0x21...0x7E).contains($0) })
            else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            switch name.nameType {
            case .dnsName: return text.contains("*") || text.contains("://") ? nil : text
            case .uri: return text.contains("://") ? text : nil
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
