import Messages
import RPC
import ServiceRuntime
import Testing

@Suite("Streams within one program, without a wire", .timeLimit(.minutes(1)))
struct InProcessCallTests {
    @Test("a stream of items ends with its writer's error and waits for its reader")
    func serverStream() async throws {
        let items = IncomingItems<Int>.inProcess { outgoing in
            for number in 0..<1_000 { try await outgoing.write(number) }
            throw ServiceError(.notFound)
        }
        var taken: [Int] = []
        let error = await #expect(throws: ServiceError.self) {
            for try await number in items { taken.append(number) }
        }
        #expect(taken == Array(0..<1_000))
        #expect(error?.code == .notFound)
    }

    @Test("what a stream's writer throws becomes the error that a connection would send")
    func errors() async throws {
        let errors: [(any Error, ErrorCode)] = [
            (MessageError.malformed, .invalidArgument), (CancellationError(), .cancelled),
            (StreamFailure(), .internalError),
        ]
        for (thrown, code) in errors {
            let items = IncomingItems<Int>.inProcess { _ in throw thrown }
            let error = await #expect(throws: ServiceError.self) { for try await _ in items {} }
            #expect(error?.code == code)
        }
    }

    private struct StreamFailure: Error {}

    @Test("a stream of items gets an answer")
    func clientStream() async throws {
        let call = ClientStreamCall<Int, Int>.inProcess { items in
            try await items.reduce(0, +)
        }
        for number in 1...500 { try await call.outgoing.write(number) }
        call.outgoing.finish()
        #expect(try await call.response() == 125_250)
    }

    @Test("a bidirectional call passes items in both directions")
    func bidirectional() async throws {
        let call = BidirectionalCall<Int, Int>.inProcess { incoming, outgoing in
            for try await number in incoming { try await outgoing.write(number * 2) }
        }
        let answers = call.incoming.makeAsyncIterator()
        for number in 0..<300 {
            try await call.outgoing.write(number)
            #expect(try await answers.next() == number * 2)
        }
        call.outgoing.finish()
        #expect(try await answers.next() == nil)
    }

    @Test("dropping the stream cancels its writer, also while it waits for the reader")
    func dropped() async throws {
        let gate = Gate()
        do {
            let items = IncomingItems<Int>.inProcess { outgoing in
                defer { Task { try await gate.pass() } }
                while true { try await outgoing.write(1) }
            }
            for try await _ in items { break }
        }
        await gate.entered(1)
        gate.open()
    }

    @Test("a waiting reader and a waiting writer can be cancelled")
    func cancelled() async throws {
        let call = BidirectionalCall<Int, Int>.inProcess { incoming, _ in
            try await Gate().pass()
            for try await _ in incoming {}
        }
        let reader = Task { for try await _ in call.incoming {} }
        let writer = Task { while true { try await call.outgoing.write(1) } }
        reader.cancel()
        writer.cancel()
        let readerError = await #expect(throws: ServiceError.self) { try await reader.value }
        let writerError = await #expect(throws: ServiceError.self) { try await writer.value }
        #expect(readerError?.code == .cancelled)
        #expect(writerError?.code == .cancelled)
    }
}
