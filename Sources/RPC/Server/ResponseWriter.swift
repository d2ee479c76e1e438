package import Messages
import NIOCore
import ServiceRuntime

/// Where an on-the-loop handler's answer goes: straight behind what the connection already holds
/// for its peer.
package struct ResponseWriter {
    let call: UInt64
    let arena: Arena
    let frameBytesMax: Int
    var out: ByteBuffer

    /// Writes the OK Response.
    /// - Throws: `rpc/resource-exhausted` when the answer is over the peer's limit.
    package mutating func write(_ response: some WireEncoded) throws {
        guard
            FrameWriter.writeResponse(
                call: call, response, to: &out, frameBytesMax: frameBytesMax)
        else { throw Self.tooLarge }
    }

    static var tooLarge: ServiceError {
        ServiceError(.resourceExhausted, detail: "the answer is over the peer's frame limit")
    }
}
