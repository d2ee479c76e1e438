package import Messages
import NIOCore
import ServiceRuntime

/// Writes the response of an on-loop handler directly after the connection's pending output.
package struct ResponseWriter {
    let call: UInt64
    let arena: Arena
    let frameBytesMax: Int
    var out: ByteBuffer

    /// Writes the OK Response.
    /// - Throws: `rpc/resource-exhausted` when the response exceeds the peer's frame limit.
    package mutating func write(_ response: some WireEncoded) throws {
        guard
            FrameWriter.writeResponse(
                call: call, response, to: &out, frameBytesMax: frameBytesMax)
        else { throw Self.tooLarge }
    }

    static var tooLarge: ServiceError {
        ServiceError(.resourceExhausted, detail: "the response exceeds the peer's frame limit")
    }
}
