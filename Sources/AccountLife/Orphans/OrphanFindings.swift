import Logging
import Metrics
import ServiceRuntime
import Synchronization

/// An orphan that a check has found.
struct Orphan: Hashable, Sendable {
    let kind: OrphanKind
    /// The account that the rows name, or that lacks one.
    let account: AccountID
    /// `RepairOrphan` can repair it.
    let isRepairable: Bool
}

/// What the last check of each kind has found, in memory: for `ListOrphans` and the gauges. A
/// restart forgets it, and checks again at once.
final class OrphanFindings: Sendable {
    /// Orphans of one kind that are kept; more are only counted.
    static let listedMax = 1_000

    /// The findings of a check of some kinds that is running.
    struct Found: Sendable {
        private(set) var counts: [OrphanKind: Int64] = [:]
        fileprivate var listed: [OrphanKind: [AccountID: Orphan]] = [:]

        /// The number of orphans.
        var sum: Int64 { counts.values.reduce(0, +) }

        /// Adds an orphan. One that is listed already, by another table, is counted once.
        mutating func add(_ orphan: Orphan) {
            let count = listed[orphan.kind]?.count ?? 0
            guard listed[orphan.kind]?[orphan.account] == nil else { return }
            counts[orphan.kind, default: 0] += 1
            guard count < OrphanFindings.listedMax else { return }
            listed[orphan.kind, default: [:]][orphan.account] = orphan
        }
    }

    private struct State {
        var listed: [OrphanKind: [Orphan]] = [:]
        var counts: [OrphanKind: Int64] = [:]
        /// When the last check of each kind ended.
        var endedAt: [OrphanKind: Timestamp] = [:]
    }

    private let state = Mutex(State())
    private let gauges: [OrphanKind: Gauge]
    private let repairs: [OrphanKind: Counter]
    private let sweptFiles: Counter

    init(metrics: any MetricsFactory) {
        func labels(_ kind: String) -> [(String, String)] { [("kind", kind)] }
        func repairs(_ kind: String) -> Counter {
            Counter(label: "identity_orphan_repairs", dimensions: labels(kind), factory: metrics)
        }
        let kinds = OrphanKind.allCases
        gauges = Dictionary(
            uniqueKeysWithValues: kinds.map {
                let dimensions = labels($0.rawValue)
                return (
                    $0, Gauge(label: "identity_orphans", dimensions: dimensions, factory: metrics)
                )
            })
        self.repairs = Dictionary(
            uniqueKeysWithValues: kinds.filter { $0.repair != nil }.map {
                ($0, repairs($0.rawValue))
            })
        sweptFiles = repairs("blob-without-row")
    }

    /// Replaces what the check before has found of some kinds.
    func replace(_ kinds: [OrphanKind], with found: Found, endedAt: Timestamp) {
        state.withLock { state in
            for kind in kinds {
                state.listed[kind] = (found.listed[kind] ?? [:]).values
                    .sorted { $0.account.key < $1.account.key }
                state.counts[kind] = found.counts[kind] ?? 0
                state.endedAt[kind] = endedAt
            }
        }
        for kind in kinds { gauges[kind]?.record(found.counts[kind] ?? 0) }
    }

    /// Counts the repair of an account, and takes it from the list.
    /// - Parameter kinds: What the repair has ended.
    func repaired(_ account: AccountID, _ kind: OrphanKind, ending kinds: [OrphanKind]) {
        repairs[kind]?.increment()
        for kind in kinds {
            let count = state.withLock { state -> Int64? in
                let place = state.listed[kind]?.firstIndex { $0.account == account }
                guard let place, let count = state.counts[kind] else { return nil }
                state.listed[kind]?.remove(at: place)
                state.counts[kind] = count - 1
                return count - 1
            }
            if let count { gauges[kind]?.record(count) }
        }
    }

    /// Counts files without a row, which `BlobSweep` has removed.
    func countSwept(_ files: Int) { sweptFiles.increment(by: Int64(files)) }

    /// The orphans of `kind`, or of all kinds, after the place `last`, in the order of kinds and
    /// accounts.
    func orphans(of kind: OrphanKind?, after last: OrphanPlace?, limit: Int) -> [Orphan] {
        state.withLock { state in
            var page: [Orphan] = []
            // The kinds from that of the last place on.
            let kinds = OrphanKind.allCases.drop { last != nil && $0 != last?.kind }
            for next in kinds where kind == nil || kind == next {
                let after = next == last?.kind ? last?.account.key ?? 0 : 0
                let listed = (state.listed[next] ?? []).drop { $0.account.key <= after }
                page += listed.prefix(limit - page.count)
            }
            return page
        }
    }

    /// When the oldest of the last checks of all kinds ended; nil until each has ended once.
    var endedAt: Timestamp? {
        state.withLock { state in
            state.endedAt.count < OrphanKind.allCases.count ? nil : state.endedAt.values.min()
        }
    }
}
