package import Addresses

/// The client of a request: its address, and the protocols of its connection.
package struct HTTPClientInfo: Hashable, Sendable {
    /// The address of the peer: of the TCP connection, or the one that a trusted proxy named by
    /// PROXY protocol. Header fields are not considered.
    package let peer: ClientAddress
    /// Whether `peer` is a trusted proxy, so that its header fields that name the client's address
    /// count. After PROXY protocol `peer` is the proxy's client if the header names one, and the
    /// fields are that client's.
    package let isFromTrustedProxy: Bool
    /// Whether the connection is protected by TLS.
    package let isTLS: Bool
    /// Whether it speaks HTTP/2, and not HTTP/1.1.
    package let isHTTP2: Bool

    /// The client of a connection.
    package init(peer: ClientAddress, isFromTrustedProxy: Bool, isTLS: Bool, isHTTP2: Bool) {
        self.peer = peer
        self.isFromTrustedProxy = isFromTrustedProxy
        self.isTLS = isTLS
        self.isHTTP2 = isHTTP2
    }
}
