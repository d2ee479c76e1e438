import Contracts
import Messages
import RPC
import ServiceRuntime

/// Imports a file of accounts, with several batches in flight, and records its progress.
///
/// It can be killed at any time and started again: the service recognises every account that it has
/// imported, so none is imported twice, and the position only saves time. The position is the end
/// of the last batch before which all batches are done, in whatever order their responses arrive.
struct ImportRun {
    /// The operator's options.
    struct Options: Sendable {
        var source: String
        var emailsUnproved = false
        var isDryRun = false
        /// The file of the position; nil for none.
        var positionPath: String?
        /// The file of rejected records.
        var deadLetterPath: String
    }

    /// Number of batches in flight: while one is written, the next are read, sent and encrypted.
    private static let batchesAtOnce = 4
    /// Maximum number of attempts for one batch.
    private static let triesMax = 8
    private static let positionInterval: Duration = .seconds(1)

    let imports: any ImportsAPI
    let options: Options
    let time: any Time
    let context: @Sendable () -> CallContext

    /// A batch and its results.
    private struct Done: Sendable {
        let number: Int
        let batch: ImportBatch
        let answers: [IdentityV1.ImportAnswer]
    }

    /// The state of a running import.
    private struct State {
        var counts = ImportCounts()
        /// The ends of batches that are done while an earlier one is not.
        var ends: [Int: Int64] = [:]
        var nextDone = 0
        var position: Int64
        var positionWrittenAt: Duration?
    }

    /// Imports all records.
    /// - Returns: the results.
    func run(
        _ file: inout AccountFile, show: @escaping (String) -> Void = ImportProgress.onTerminal
    ) async throws -> ImportCounts {
        let byteCount = file.byteCount
        var progress = ImportProgress(
            byteCount: byteCount, start: file.start, time: time, show: show)
        let letters = DeadLetters(options.deadLetterPath)
        var state = State(position: file.start)
        var (number, position, isOver) = (0, file.start, false)
        try await withThrowingTaskGroup(of: Done.self) { group in
            var running = 0
            while true {
                while !isOver, running < Self.batchesAtOnce {
                    guard let batch = try await file.batch(from: position) else {
                        isOver = true
                        break
                    }
                    position = batch.end
                    let current = number
                    group.addTask { try await send(batch, number: current) }
                    (number, running) = (number + 1, running + 1)
                }
                guard running > 0, let done = try await group.next() else { break }
                running -= 1
                try note(done, letters, &state)
                progress.note(state.counts, position: state.position)
                try keepPosition(&state, byteCount)
            }
        }
        if let path = options.positionPath { ImportPosition.remove(path) }
        return state.counts
    }

    private func send(_ batch: ImportBatch, number: Int) async throws -> Done {
        guard !batch.accounts.isEmpty else {
            return Done(number: number, batch: batch, answers: [])
        }
        let request = IdentityV1.ImportAccountsRequest(
            source: options.source, accounts: batch.accounts,
            emailsUnproved: options.emailsUnproved, dryRun: options.isDryRun)
        let answers = try await trying { try await imports.importAccounts(request, context()) }
            .answers
        guard answers.count == batch.accounts.count else {
            throw ServiceError(.internalError, detail: "the number of answers differs")
        }
        return Done(number: number, batch: batch, answers: answers)
    }

    /// Retries while the service restarts or is overloaded, for about half a minute.
    private func trying<Answer>(_ call: () async throws -> Answer) async throws -> Answer {
        var attempt = 0
        var backoff = Backoff(
            first: .milliseconds(400), most: .seconds(8), growthTenths: 20, jitterThousandths: 0)
        while true {
            do {
                return try await call()
            } catch let error as ServiceError where Self.passes(error.code) {
                attempt += 1
                guard attempt < Self.triesMax else { throw error }
                let wait = max(backoff.next(jitter: 0), error.retryAfter ?? .zero)
                try await time.sleep(for: wait)
            }
        }
    }

    private static func passes(_ code: ErrorCode) -> Bool {
        [.unavailable, .resourceExhausted, .deadlineExceeded].contains(code)
    }

    private func note(_ done: Done, _ letters: DeadLetters, _ state: inout State) throws {
        var refused = done.batch.refused
        for what in done.batch.lost { state.counts.lost[what, default: 0] += 1 }
        for (record, answer) in zip(done.batch.accounts, done.answers) {
            switch answer.outcome {
            case .created: state.counts.created += 1
            case .unchanged: state.counts.unchanged += 1
            default:
                refused.append(
                    RefusedRecord(
                        externalID: record.externalId, code: answer.code, field: answer.field,
                        reason: answer.reason))
            }
            for field in answer.altered { state.counts.altered[field, default: 0] += 1 }
        }
        state.counts.refused += refused.count
        try letters.add(refused)
        state.ends[done.number] = done.batch.end
        while let end = state.ends.removeValue(forKey: state.nextDone) {
            state.position = end
            state.nextDone += 1
        }
    }

    private func keepPosition(_ state: inout State, _ byteCount: Int64?) throws {
        guard let path = options.positionPath, let byteCount, !options.isDryRun else { return }
        let now = time.uptime()
        if let last = state.positionWrittenAt, now - last < Self.positionInterval { return }
        state.positionWrittenAt = now
        try ImportPosition(offset: state.position, byteCount: byteCount).write(path)
    }
}
