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
