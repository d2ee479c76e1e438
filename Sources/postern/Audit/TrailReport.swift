import JSON
import Messages
import ServiceRuntime
import Storage

/// What `postern audit verify` says of one service's trail. Pure: the service proves spans
/// (`TrailVerification`), and this compares what they say with each other and with a witness.
struct TrailReport {
    /// Something about the trail that people should know.
    struct Finding: Hashable {
        /// Whether somebody has changed the trail, as far as can be told.
        let isBad: Bool
        let text: String
    }

    /// Which link a head names.
    private struct Place: Hashable {
        let trail: [UInt8]
        let position: Int64
    }

    /// The hour of the last spans.
    private struct Hour {
        let number: Int64
        var last: Int64
        var hasOthers: Bool
    }

    let service: String
    private(set) var records: Int64 = 0
    private(set) var firstAtMs: Int64 = 0
    private(set) var lastAtMs: Int64 = 0
    private(set) var uncovered: Int64 = 0
    private var cutPosition: Int64 = 0
    private var broken: EventsV1.BrokenSpan?
    private var hour: Hour?
    private var lastPosition: Int64 = 0
    private var trails: [[UInt8]] = []
    /// The ends of hours that had another record than heads.
    private var ends: [Int64] = []
    private var heads: [Place: [UInt8]] = [:]
    private var cuts: Set<Int64> = []

    /// A report without anything.
    init(of service: String) { self.service = service }

    /// Adds the next part.
    mutating func add(_ part: EventsV1.VerifyTrailResponse) {
        records += part.records
        if firstAtMs == 0 { firstAtMs = part.firstAtMs }
        if part.lastAtMs != 0 { lastAtMs = part.lastAtMs }
        uncovered = part.uncovered
        cutPosition = part.cutPosition
        broken = part.broken
        // Spans that were joined meanwhile are proven twice.
        for span in part.spans where span.lastPosition > lastPosition { add(span) }
        for statement in part.statements {
            if statement.isCut {
                cuts.insert(statement.position)
            } else {
                let place = Place(trail: statement.trail, position: statement.position)
                heads[place] = statement.link
            }
        }
    }

    private mutating func add(_ span: EventsV1.LinkedSpan) {
        lastPosition = span.lastPosition
        if trails.last != span.trail { trails.append(span.trail) }
        let number = span.atMs / 3_600_000
        guard let present = hour, present.number == number else {
            if let hour, hour.hasOthers { ends.append(hour.last) }
            hour = Hour(number: number, last: span.lastPosition, hasOthers: span.hasOthers)
            return
        }
        hour = Hour(
            number: number, last: span.lastPosition,
            hasOthers: present.hasOthers || span.hasOthers)
    }

    /// What there is to say, apart from what is whole.
    /// - Parameter witness: heads of this service that were kept elsewhere, verified.
    func findings(_ witness: [TrailStatement]) -> [Finding] {
        brokenFindings + cutFindings + hourFindings + witness.compactMap(finding)
    }

    private var brokenFindings: [Finding] {
        guard let broken else { return [] }
        let times = [("after", broken.fromMs), ("until", broken.toMs)].filter { $0.1 != 0 }
            .map { "\($0.0) \(Timestamp(milliseconds: $0.1).text)" }
        let when = times.isEmpty ? "" : " (\(times.joined(separator: ", ")))"
        let words =
            switch TrailBreak.Reason(rawValue: broken.reason) {
            case .records: "are not the records that were linked, or some before them are missing"
            case .link: "have a link that the service did not make, or one before it is missing"
            case .form: "were linked by a newer version, which has to verify them"
            case .statement: "say of the trail what the service did not sign, or does not have"
            case .number: "are not covered yet, and one of them is missing"
            case nil: "are not what was linked: \(broken.reason)"
            }
        let span = "\(broken.firstPosition) to \(broken.lastPosition)"
        return [Finding(isBad: true, text: "\(span) \(words)\(when); nothing after them was read")]
    }

    private var cutFindings: [Finding] {
        guard cutPosition != 0, !cuts.contains(cutPosition), broken == nil else { return [] }
        let text = "the records up to \(cutPosition) were removed without a signed cut"
        return [Finding(isBad: true, text: text)]
    }

    private var hourFindings: [Finding] {
        guard broken == nil else { return [] }
        let headed = Set(heads.keys.map(\.position))
        return ends.filter { !headed.contains($0) }.map {
            Finding(isBad: true, text: "the hour that ends with \($0) has no head")
        }
    }

    private func finding(_ head: TrailStatement) -> Finding? {
        guard head.kind == .head, head.position < broken?.firstPosition ?? .max else { return nil }
        let place = Place(trail: head.trail, position: head.position)
        let name = "\(head.position), of \(Timestamp(milliseconds: head.seconds &* 1_000).text)"
        if let link = heads[place] {
            guard link != head.link else { return nil }
            return Finding(isBad: true, text: "the witness has another link at \(name)")
        }
        // Its record may have gone with those that were cut off.
        if head.position <= cutPosition || head.seconds < firstAtMs / 1_000 { return nil }
        guard trails.last != head.trail, trails.count > 1 else {
            return Finding(
                isBad: true,
                text: "the witness has a head at \(name), which the store does not have: newer "
                    + "records were removed, or it is an older copy")
        }
        return Finding(
            isBad: false, text: "the head at \(name) is of a trail that a restore replaced")
    }

    /// What is whole, as a line.
    var summary: String {
        guard records > 0 else { return "\(service): no record is covered yet" + rest }
        let first = Timestamp(milliseconds: firstAtMs).text
        let last = Timestamp(milliseconds: lastAtMs).text
        let cut = cutPosition == 0 ? "" : ", after those up to \(cutPosition) were cut off"
        return "\(service): whole from \(first) to \(last), \(records) records\(cut)" + rest
    }

    private var rest: String { uncovered == 0 ? "" : "; \(uncovered) are not covered yet" }

    /// The report as one row, for JSON.
    func row(_ findings: [Finding]) -> Row {
        func texts(_ areBad: Bool) -> JSONValue {
            .array(findings.filter { $0.isBad == areBad }.map { .string($0.text) })
        }
        return Row([
            .init("service", service),
            .init(json: "is_whole", .boolean(!findings.contains { $0.isBad })),
            .init(json: "from", .moment(firstAtMs)), .init(json: "to", .moment(lastAtMs)),
            .init(json: "records", .integer(records)),
            .init(json: "not_covered", .integer(uncovered)),
            .init(json: "cut_position", .integer(cutPosition)),
            .init(json: "findings", texts(true)), .init(json: "notes", texts(false)),
        ])
    }
}
