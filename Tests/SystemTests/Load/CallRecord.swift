import Messages
import ServiceRuntime
import Synchronization

/// The outcome of one call.
struct CallRecord: Sendable, CustomStringConvertible {
    let name: String
    let started: ContinuousClock.Instant
    let elapsed: Duration
    let timeout: Duration
    /// Nil if the call succeeded.
    let error: (any Error)?

    /// The catalogue's code; nil if the call succeeded or failed without a code.
    var code: ErrorCode? { (error as? ServiceError)?.code }
    /// Whether it failed with an error that is not in the catalogue.
    var isUncatalogued: Bool { error != nil && code == nil }

    var description: String {
        "\(name) after \(elapsed) of \(timeout): \(error.map { "\($0)" } ?? "answered")"
    }
}

/// Records of concurrent calls.
final class CallRecords: Sendable {
    private let records = Mutex<[CallRecord]>([])

    var all: [CallRecord] { records.withLock { $0 } }

    /// Makes a call and records its outcome.
    /// - Returns: the response; nil if the call failed.
    func record<Answer: Sendable>(
        _ name: String, timeout: Duration, _ call: @Sendable () async throws -> Answer
    ) async -> Answer? {
        let clock = ContinuousClock()
        let started = clock.now
        let result: Result<Answer, any Error>
        do {
            result = .success(try await call())
        } catch {
            result = .failure(error)
        }
        var (answer, error): (Answer?, (any Error)?) = (nil, nil)
        switch result {
        case .success(let value): answer = value
        case .failure(let reason): error = reason
        }
        let record = CallRecord(
            name: name, started: started, elapsed: started.duration(to: clock.now),
            timeout: timeout, error: error)
        records.withLock { $0.append(record) }
        return answer
    }
}
