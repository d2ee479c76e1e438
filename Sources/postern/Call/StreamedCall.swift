import Messages
import RPC
import ServiceRuntime

/// A call with streams, from lines of JSON to lines of JSON.
struct StreamedCall: Sendable {
    private enum Side {
        case ours, theirs
    }

    let method: SchemaMethod
    let call: PackedStreamCall
    let show: @Sendable (String) throws -> Void

    /// Sends the items of `lines` and prints the items received, until the server's response.
    /// - Throws: `ServiceError` if the call failed; an error in a line, which cancels the call.
    func run(_ lines: ItemLines?) async throws {
        try await withThrowingTaskGroup(of: Side.self) { sides in
            defer { sides.cancelAll() }
            if let lines { sides.addTask { try await send(lines) } }
            sides.addTask { try await receive() }
            while let ended = try await sides.next() {
                // The server may respond before it has received all items.
                if ended == .theirs { return }
            }
        }
    }

    private func send(_ lines: ItemLines) async throws -> Side {
        var lines = lines
        do {
            while let line = try await lines.next() {
                try await call.outgoing.write(try method.input.encodeJSON(line))
            }
            call.outgoing.finish()
        } catch is ServiceError {
            // The call is over; `receive` reports its result.
        } catch is CancellationError {
            // Cancelled: `receive` reports that too.
        }
        return .ours
    }

    private func receive() async throws -> Side {
        guard method.hasResponseItems else {
            try show(method.output.decodeToJSON(try await call.response(), pretty: true))
            return .theirs
        }
        for try await item in call.incoming {
            try show(method.output.decodeToJSON(item, pretty: false))
        }
        // The response may be an error even if the items ended normally.
        _ = try await call.response()
        return .theirs
    }
}
