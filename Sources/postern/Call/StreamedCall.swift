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

    /// Sends the items that `lines` give and shows what comes, until the server has said its last.
    /// - Throws: `ServiceError` when the call failed; what is wrong with a line, which gives the
    ///   call up.
    func run(_ lines: ItemLines?) async throws {
        try await withThrowingTaskGroup(of: Side.self) { sides in
            defer { sides.cancelAll() }
            if let lines { sides.addTask { try await send(lines) } }
            sides.addTask { try await receive() }
            while let ended = try await sides.next() {
                // The server need not hear all that we have to say.
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
            // The call is over; the other side has heard how it ended.
        } catch is CancellationError {
            // So has it here.
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
        // Also where the items ended, the last word may be an error.
        _ = try await call.response()
        return .theirs
    }
}
