import Contracts
import Messages
import RPC
import ServiceRuntime

/// Takes a file of accounts in, some batches at once, and remembers how far it came.
///
/// Killed at any moment it can be started again: the service knows every account that has come, so
/// that none comes twice, and the position only saves the time of asking. It names the end of the
/// last batch of which all before are done, whatever order their answers came in.
struct ImportRun {
    /// What an operator can choose.
    struct Options: Sendable {
        var source: String
        var emailsUnproved = false
        var isDryRun = false
        /// Where the position is kept; nil for nowhere.
        var positionPath: String?
        /// Where refused records are told.
        var deadLetterPath: String
    }

    /// Batches at once: while one is written, the next are read, sent and sealed.
    private static let batchesAtOnce = 4
    /// Of one batch, with all its tries.
    private static let triesMax = 8
    private static let positionInterval: Duration = .seconds(1)

    let imports: any ImportsAPI
    let options: Options
    let time: any Time
    let context: @Sendable () -> CallContext

    /// A batch and its answers.
    private struct Done: Sendable {
        let number: Int
        let batch: ImportBatch
        let answers: [IdentityV1.ImportAnswer]
    }

    /// What is known while it runs.
    private struct State {
        var counts = ImportCounts()
        /// The ends of batches that are done while one before them is not.
        var ends: [Int: Int64] = [:]
        var nextDone = 0
        var position: Int64
        var positionWrittenAt: Duration?
    }

    /// Takes all in.
    /// - Returns: what it came to.
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
            throw ServiceError(.internalError, detail: "an answer for each account")
        }
        return Done(number: number, batch: batch, answers: answers)
    }

    /// A service that is restarted or has too much to do is asked again, for half a minute.
    private func trying<Answer>(_ call: () async throws -> Answer) async throws -> Answer {
        var attempt = 0
        while true {
            do {
                return try await call()
            } catch let error as ServiceError where Self.passes(error.code) {
                attempt += 1
                guard attempt < Self.triesMax else { throw error }
                let wait = min(Duration.milliseconds(200) * (1 << attempt), .seconds(8))
                try await time.sleep(for: max(wait, error.retryAfter ?? .zero))
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
