/// An authenticated caller and its credential.
struct Caller: Sendable {
    enum Credential: Sendable {
        /// A key, as its fingerprint, so that its removal can be detected.
        case key([UInt8])
        /// A client certificate.
        case certificate
    }

    let application: Application
    let credential: Credential
}

/// Whether a caller may still call after the list of callers was reloaded.
enum CallerStanding {
    /// It may still call, possibly with other permissions.
    case admitted(Application)
    /// Its key was removed, but the application has others: it should reconnect with one of them.
    case keyRemoved
    /// It may no longer call.
    case removed
}

/// What TLS established about a connection.
package struct ChannelIdentity: Sendable {
    /// SHA-256 of the server's leaf certificate; zeros without TLS.
    var leafHash = ApplicationProof.noCertificate
    /// The names in the client's certificate, if one was requested and is valid.
    var peerNames: [String] = []

    /// A connection without TLS.
    static let plaintext = ChannelIdentity()
}
