/// One transfer that somebody waits for. Each protocol makes its own; the thread runs them all.
struct TransferOrder: Sendable {
    /// What its connection must be.
    let terms: ConnectionTerms
    /// How long it may take, from its arrival to its end.
    let timeout: Duration
    /// What is sent, held in memory; empty for none.
    let upload: [UInt8]
    /// Sets the protocol's own options.
    let configure: @Sendable (EasyHandle) throws(CurlRefusal) -> Void
}
