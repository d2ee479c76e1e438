import JSON

/// The screen of `postern top`, from two scrapes of each program. Pure.
enum TopTable {
    /// The number of busiest methods shown, unless the screen has fewer lines. With the six
    /// programs and the headings they fill a screen of 24 lines.
    static let methodsMax = 15
    /// Columns of the narrowest terminal that shows whole lines.
    private static let width = 80
    /// The width of each column of numbers, with the space before it.
    private static let cellWidths = [8, 9, 9, 9, 10, 6, 6, 10]

    /// A program's previous and current scrape; nil if it did not respond.
    struct Row {
        let service: String
        let before: ServiceScrape?
        let now: ServiceScrape?
    }

    /// The lines, `height` at most: a table of the programs, then their busiest methods.
    static func lines(_ rows: [Row], height: Int = .max) -> [String] {
        let services = [heading("service", serviceColumns)] + rows.map(serviceLine)
        let methods = methodLines(rows)
        let capacity = max(0, min(methodsMax, height - services.count - 2))
        guard !methods.isEmpty, capacity > 0 else { return Array(services.prefix(height)) }
        return services + ["", heading("busiest methods", [])] + methods.prefix(capacity)
    }

    /// A program as JSON: one object of `postern top --once --output json`.
    static func row(_ row: Row) -> postern.Row {
        guard let now = row.now, let before = row.before else {
            return .init([.init("service", row.service), .init(json: "answers", .boolean(false))])
        }
        let activity = Activity(now, since: before)
        let histogram = activity.histogram
        return .init([
            .init("service", row.service), .init(json: "answers", .boolean(true)),
            .init(json: "calls_per_second", .real(activity.callsPerSecond)),
            .init(json: "errors_per_second", .real(activity.errorsPerSecond)),
            .init(json: "p50", .string(time(histogram.quantile(0.5)))),
            .init(json: "p99", .string(time(histogram.quantile(0.99)))),
            .init(json: "in_flight", .real(activity.inFlight)),
            .init(json: "connections", now.connections.map { .real($0) } ?? .null),
            .init(json: "resident_bytes", now.residentBytes.map { .real($0) } ?? .null),
        ])
    }

    private static let serviceColumns = ["conn", "cpu", "memory"]

    private static func heading(_ name: String, _ more: [String]) -> String {
        let cells = ["calls/s", "errors/s", "p50", "p99", "in flight"] + more
        return line(name, cells, columns: cells.count)
    }

    private static func serviceLine(_ row: Row) -> String {
        guard let now = row.now else {
            return line(row.service, ["no answer"], columns: cellWidths.count)
        }
        guard let before = row.before else {
            return line(row.service, ["…"], columns: cellWidths.count)
        }
        let activity = Activity(now, since: before)
        let seconds = max(0.001, now.at - before.at)
        let processor = now.processorSeconds.map {
            "\(whole(Activity.grown($0, before.processorSeconds) / seconds * 100))%"
        }
        return line(
            row.service,
            cells(activity) + [
                now.connections.map(whole) ?? "-", processor ?? "-",
                now.residentBytes.map { "\(whole($0 / 1_048_576)) MiB" } ?? "-",
            ], columns: cellWidths.count)
    }

    private static func methodLines(_ rows: [Row]) -> [String] {
        var methods: [(name: String, activity: Activity)] = []
        for row in rows {
            guard let now = row.now, let before = row.before else { continue }
            let seconds = max(0.001, now.at - before.at)
            for (name, method) in now.methods {
                let activity = Activity(method, since: before.methods[name], seconds: seconds)
                guard activity.callsPerSecond > 0 || activity.inFlight > 0 else { continue }
                // Every program serves health and reflection, so the service is part of the name.
                methods.append(("\(row.service) \(short(name))", activity))
            }
        }
        methods.sort { left, right in
            (right.activity.callsPerSecond, left.name) < (left.activity.callsPerSecond, right.name)
        }
        return methods.map {
            line($0.name, cells($0.activity), columns: cellWidths.count - serviceColumns.count)
        }
    }

    /// `postern.session.v1.Sessions/CreateSession` → `Sessions/CreateSession`.
    private static func short(_ name: String) -> String {
        let service = name.prefix { $0 != "/" }
        guard let dot = service.lastIndex(of: ".") else { return name }
        return String(name[name.index(after: dot)...])
    }

    private static func cells(_ activity: Activity) -> [String] {
        [
            rate(activity.callsPerSecond), rate(activity.errorsPerSecond),
            time(activity.histogram.quantile(0.5)), time(activity.histogram.quantile(0.99)),
            whole(activity.inFlight),
        ]
    }

    /// - Parameters:
    ///   - name: may have a label of the metrics page, which another program may have written.
    ///   - cells: those of the first columns; a method's line has fewer, and therefore a longer
    ///     name.
    private static func line(_ name: String, _ cells: [String], columns: Int) -> String {
        let widths = cellWidths.prefix(columns)
        let nameWidth = width - widths.reduce(0, +)
        var text = String(name.printableLine.prefix(nameWidth - 1)).padded(to: nameWidth)
        for (cell, width) in zip(cells, widths) {
            text += String(repeating: " ", count: max(1, width - cell.count)) + cell
        }
        return text
    }

    // MARK: Numbers

    private static func rate(_ value: Double) -> String {
        value == 0 || value >= 99.95 ? whole(value) : fraction(value, digits: 1)
    }

    private static func time(_ quantile: Histogram.Quantile?) -> String {
        switch quantile {
        case .about(let seconds): duration(seconds)
        case .below(let seconds): "<" + duration(seconds)
        case .above(let seconds): ">" + duration(seconds)
        case nil: "-"
        }
    }

    private static func duration(_ seconds: Double) -> String {
        if seconds >= 0.9995 { return fraction(seconds, digits: 1) + " s" }
        let milliseconds = seconds * 1_000
        return fraction(milliseconds, digits: milliseconds < 9.995 ? 2 : 0) + " ms"
    }

    private static func whole(_ value: Double) -> String {
        String(Int64(exactly: value.rounded()) ?? 0)
    }

    private static func fraction(_ value: Double, digits: Int) -> String {
        let scale = [1.0, 10, 100][digits]
        guard digits > 0, let scaled = Int64(exactly: (value * scale).rounded()) else {
            return whole(value)
        }
        let part = String(scaled % Int64(scale))
        return "\(scaled / Int64(scale))."
            + String(repeating: "0", count: digits - part.count) + part
    }
}
