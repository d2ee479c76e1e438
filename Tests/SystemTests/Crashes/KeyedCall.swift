import Synchronization
import Testing

extension SystemTests.Crashes {
    /// A call under an idempotency key, as an app makes it that wants its answer.
    struct KeyedCall<Value: Equatable & Sendable>: Sendable {
        /// A call. What it answers is kept elsewhere.
        typealias Act = @Sendable () async throws -> Void

        let key: String
        let call: @Sendable (_ key: String) async throws -> Value

        /// Makes it once by `make`, while a program may be killed, then until it is answered, and
        /// again. All answers are the first one.
        func answer(by make: (@escaping Act) async throws -> Void) async throws -> Value {
            let first = FirstAnswer<Value>()
            let (key, call) = (key, call)
            try await make { first.keep(try await call(key)) }
            let value = try await retried { try await call(key) }
            if let kept = first.value { #expect(kept == value, "\(key)") }
            let again = try await retried { try await call(key) }
            #expect(again == value, "\(key)")
            return value
        }
    }

    /// What a call has answered before a program was killed, if it has.
    private final class FirstAnswer<Value: Sendable>: Sendable {
        private let kept = Mutex<Value?>(nil)

        var value: Value? { kept.withLock { $0 } }

        func keep(_ value: Value) { kept.withLock { $0 = value } }
    }
}
