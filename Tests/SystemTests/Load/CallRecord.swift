import Messages
import ServiceRuntime
import Synchronization

/// How one call went.
struct CallRecord: Sendable, CustomStringConvertible {
    let name: String
    let started: ContinuousClock.Instant
    let elapsed: Duration
    let timeout: Duration
    /// Nil when it was answered.
    let error: (any Error)?

    /// The catalogue's code; nil when it was answered, or failed without one.
    var code: ErrorCode? { (error as? ServiceError)?.code }
    /// Whether it failed with something that is no entry of the catalogue.
    var isUncatalogued: Bool { error != nil && code == nil }

    var description: String {
        "\(name) after \(elapsed) of \(timeout): \(error.map { "\($0)" } ?? "answered")"
    }
}

/// Records of calls that run at once.
final class CallRecords: Sendable {
    private let records = Mutex<[CallRecord]>([])

    var all: [CallRecord] { records.withLock { $0 } }

    /// Makes a call and notes how it went.
    /// - Returns: its answer; nil when it failed.
    func note<Answer: Sendable>(
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
