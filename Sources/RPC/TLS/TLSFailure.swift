import NIOSSL

/// Why a TLS connection could not be made, as a sentence for the operator, with BoringSSL's name of
/// the error. The errors' own descriptions contain paths of the machine that built the program.
enum TLSFailure {
    /// Nil for an error that is not one of TLS.
    static func text(_ error: any Error) -> String? {
        switch error {
        case let refusal as TLSPeerCheck.Refusal: words(refusal)
        case let error as NIOSSLError: words(error)
        case let error as BoringSSLError: words(error)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            words(TLSPeerCheck.Refusal.certificate)
        case is NIOSSLExtraError: "the server's name cannot be checked over TLS"
        default: nil
        }
    }

    private static func words(_ refusal: TLSPeerCheck.Refusal) -> String {
        switch refusal {
        case .otherProtocol: "the peer does not speak \(TLSRules.applicationProtocol)"
        case .certificate: "the peer's certificate is missing or not valid for its name"
        }
    }

    private static func words(_ error: NIOSSLError) -> String {
        switch error {
        case .handshakeFailed(let cause), .shutdownFailed(let cause): words(cause)
        case .uncleanShutdown: "the peer closed the connection without an end of TLS"
        case .noCertificateToValidate, .unableToValidateCertificate:
            words(TLSPeerCheck.Refusal.certificate)
        default: "the connection's state is not the one expected (\(error))"
        }
    }

    private static func words(_ error: BoringSSLError) -> String {
        switch error {
        case .sslError(let stack), .unknownError(let stack), .invalidSNIName(let stack),
            .failedToSetALPN(let stack):
            guard stack.first != .eofDuringHandshake else { break }
            let names = stack.compactMap { name($0.description) }
            // The errors before and after a known one are its details.
            for name in names {
                if let sentence = sentence(name) { return "\(sentence) (\(name))" }
            }
            return names.first.map { "the handshake failed (\($0))" } ?? "the handshake failed"
        default: break
        }
        return "the peer closed the connection during the handshake"
    }

    /// The name in BoringSSL's text:
    /// `Error: 268435581 error:1000007d:SSL routines:OPENSSL_internal:NAME at PATH:LINE`.
    private static func name(_ text: String) -> Substring? {
        let words = text.split(separator: " ")
        guard words.contains("at"), let last = words.prefix(while: { $0 != "at" }).last else {
            return nil
        }
        return last.split(separator: ":").last
    }

    /// In names of alerts (RFC 8446, 6.2) the peer speaks, in the others this side.
    private static func sentence(_ name: Substring) -> String? {
        switch name {
        case "CERTIFICATE_VERIFY_FAILED":
            "the peer's certificate has expired, or was not issued by the trusted roots"
        case "WRONG_VERSION_NUMBER", "HTTP_REQUEST": "the peer does not use TLS"
        case "UNSUPPORTED_PROTOCOL", "TLSV1_ALERT_PROTOCOL_VERSION":
            "the two sides have no version of TLS in common"
        case "TLSV1_ALERT_NO_APPLICATION_PROTOCOL": words(TLSPeerCheck.Refusal.otherProtocol)
        case "TLSV1_ALERT_CERTIFICATE_REQUIRED": "the peer requires a client certificate"
        case "TLSV1_ALERT_UNKNOWN_CA", "SSLV3_ALERT_BAD_CERTIFICATE",
            "SSLV3_ALERT_CERTIFICATE_EXPIRED", "SSLV3_ALERT_CERTIFICATE_UNKNOWN",
            "SSLV3_ALERT_CERTIFICATE_REVOKED", "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE":
            "the peer does not accept this side's certificate"
        default: nil
        }
    }
}
