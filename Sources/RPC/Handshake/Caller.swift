/// A caller and what it has proved itself with.
struct Caller: Sendable {
    enum Credential: Sendable {
        /// A key; its fingerprint, so that its removal can be noticed.
        case key([UInt8])
        /// The names in its certificate.
        case certificate
    }

    let application: Application
    let credential: Credential
}

/// What has become of a caller when the list of callers was read again.
enum CallerStanding {
    /// It may go on, perhaps with other rights.
    case admitted(Application)
    /// Its key is gone, though the application has others: it should come back with one of them.
    case keyRemoved
    /// It may not call any more.
    case removed
}

/// What TLS says of a connection.
package struct ChannelIdentity: Sendable {
    /// SHA-256 of the server's leaf certificate, or zeros.
    var leafHash = ApplicationProof.noCertificate
    /// The names in the client's certificate, when one was asked for and is sound.
    var peerNames: [String] = []

    /// A connection without TLS.
    static let plaintext = ChannelIdentity()
}
