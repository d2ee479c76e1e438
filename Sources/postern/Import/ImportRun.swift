import Contracts
import Glibc
import JSON
import Messages
import RPC
import ServiceRuntime

/// Imports a file of accounts, with several batches in flight, and records its progress.
///
/// It can be killed at any time and started again: the service recognises every account that it has
/// imported, so none is imported twice, and the position only saves time. The position is the end
/// of the last batch before which all batches are done, in whatever order their responses arrive.
struct ImportRun {
    /// The results of an import, for its progress line and its summary.
    struct Counts: Hashable, Sendable {
        var created = 0
        var unchanged = 0
        var refused = 0
        /// Records that were left out, and data that the file lacks, by kind.
        var lost: [String: Int] = [:]
        /// Fields that were invalid and were left out or truncated, by field.
        var altered: [String: Int] = [:]

        /// Number of processed records, without those that contained nothing to import.
        var total: Int { created + unchanged + refused }

        /// The summary: imported and rejected records, and data that the file lacks.
        func lines(isDryRun: Bool) -> [String] {
            var lines = [
                isDryRun
                    ? "nothing was imported (--dry-run): \(created) accounts would be imported, "
                        + "\(unchanged) have been imported before, \(refused) would be rejected"
                    : "\(created) accounts were imported, \(unchanged) had been imported before, "
                        + "\(refused) were rejected"
            ]
            lines += lost.sorted { $0.key < $1.key }.map {
                "  left out, or missing in the file: \($0.value) × \($0.key)"
            }
            lines += altered.sorted { $0.key < $1.key }
                .map { "  invalid, left out or truncated: \($0.value) × \($0.key)" }
            return lines
        }
    }

    /// Number of batches in flight: while one is written, the next are read, sent and encrypted.
    private static let batchesAtOnce = 4
    /// Maximum number of attempts for one batch.
    private static let triesMax = 8
    private static let positionInterval: Duration = .seconds(1)

    let imports: any ImportsAPI
    let source: String
    var emailsUnproved = false
    var isDryRun = false
    /// The file of the position; nil for none.
    let positionPath: String?
    /// The file of rejected records, a JSON line each. It contains no hash and no address; it is
    /// readable by its owner only nevertheless.
    let deadLetterPath: String
    let time: any Time
    let context: @Sendable () -> CallContext

    /// A batch and its results.
    private struct Done: Sendable {
        let number: Int
        let batch: AccountFile.Batch
        let answers: [IdentityV1.ImportAnswer]
    }

    /// The state of a running import.
    private struct State {
        var counts = Counts()
        /// The ends of batches that are done while an earlier one is not.
        var ends: [Int: Int64] = [:]
        var nextDone = 0
        var position: Int64
        var positionWrittenAt: Duration?
        /// The file of rejected records, created with the first one.
        var deadLetters: OutputFile?
    }

    /// Imports all records.
    /// - Returns: the results.
    func run(
        _ file: inout AccountFile, show: @escaping (String) -> Void = ProgressLine.onTerminal
    ) async throws -> Counts {
        let byteCount = file.byteCount
        var progress = ImportProgress(
            byteCount: byteCount, start: file.start, time: time, show: show)
        var state = State(position: file.start)
        // A new run replaces the file of rejected records; a resumed run appends to it.
        if file.start == 0 { _ = unlink(deadLetterPath) }
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
                try add(done, to: &state)
                progress.update(state.counts, position: state.position)
                try writePosition(&state, byteCount)
            }
        }
        if let positionPath { _ = unlink(positionPath) }
        return state.counts
    }

    private func send(_ batch: AccountFile.Batch, number: Int) async throws -> Done {
        guard !batch.accounts.isEmpty else {
            return Done(number: number, batch: batch, answers: [])
        }
        let request = IdentityV1.ImportAccountsRequest(
            source: source, accounts: batch.accounts,
            emailsUnproved: emailsUnproved, dryRun: isDryRun)
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

    private func add(_ done: Done, to state: inout State) throws {
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
        if !refused.isEmpty {
            let file = try state.deadLetters ?? OutputFile(deadLetterPath, flags: O_APPEND)
            try file.write(refused.map { $0.line + "\n" }.joined())
            state.deadLetters = file
        }
        state.ends[done.number] = done.batch.end
        while let end = state.ends.removeValue(forKey: state.nextDone) {
            state.position = end
            state.nextDone += 1
        }
    }

    // MARK: The position, in a file beside the imported one

    /// The position at which an earlier run was stopped; 0 if there is none, or if the imported
    /// file had another size then. If the position is lost or outdated only time is lost: the
    /// service recognises accounts that it has imported.
    func start(of file: String) throws -> Int64 {
        guard let positionPath,
            let byteCount = try RecordReader(file, form: .lines).byteCount,
            // If there is no such file, or it is invalid, the import starts from the beginning.
            let bytes = try? TextFile.read(positionPath),
            let object = JSONReader.object(in: bytes),
            let offset = object["offset"]?.integer, object["bytes"]?.integer == byteCount,
            (0...byteCount).contains(offset)
        else { return 0 }
        return offset
    }

    private func writePosition(_ state: inout State, _ byteCount: Int64?) throws {
        guard let positionPath, let byteCount, !isDryRun else { return }
        let now = time.uptime()
        if let last = state.positionWrittenAt, now - last < Self.positionInterval { return }
        state.positionWrittenAt = now
        let members: JSONObject = [
            "offset": .integer(state.position), "bytes": .integer(byteCount),
        ]
        try TextFile.replace(positionPath, with: JSONWriter.text(members) + "\n")
    }
}
