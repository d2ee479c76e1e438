/// One transfer to run. Each protocol creates its own; the curl thread runs them all.
struct TransferOrder: Sendable {
    /// The required terms of its connection.
    let terms: ConnectionTerms
    /// The time limit, from submission to end.
    let timeout: Duration
    /// The bytes to send, held in memory. Empty for none.
    let upload: [UInt8]
    /// Sets the protocol's own options.
    let configure: @Sendable (EasyHandle) throws(CurlRefusal) -> Void
}

/// The conditions under which a connection was opened. libcurl reuses a pooled connection for any
/// transfer to the same host, port and user. But it may have been opened without encryption, with
/// another trust file (libcurl's own check covers `smtps`, not STARTTLS), or to an address that
/// this transfer must not connect to. So only a transfer with equal terms may reuse it; another
/// opens a new connection.
struct ConnectionTerms: Hashable, Sendable {
    /// The addresses to which the destination's name may resolve.
    let addresses: AddressPolicy
    /// Whether the connection must be encrypted.
    let isEncrypted: Bool
    /// A file of trusted authorities. Nil for the system's.
    let trustFile: String?
}
