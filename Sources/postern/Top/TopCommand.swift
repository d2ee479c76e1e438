import ArgumentParser
import Glibc
import ServiceRuntime

/// `postern top`: the activity of all five programs, every second.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Shows calls, errors, latencies and memory of all programs, every second.",
        discussion: """
            q or Ctrl-C quits. If the output is not a terminal the table is written as lines. \
            Latencies are read from histograms: they are as exact as the buckets.
            """)

    @OptionGroup var services: EndpointsOption

    @Flag(help: "Print one table, of one second, and exit.")
    var once = false

    func run() async throws {
        let endpoints = try Endpoints(services.endpoints)
        let terminal = once ? nil : Terminal()
        var before = await scrape(endpoints)
        while true {
            if let terminal {
                if terminal.isLeft(within: 1_000) { return }
            } else {
                try await Task.sleep(for: .seconds(1))
            }
            let now = await scrape(endpoints)
            let rows = Endpoints.services.map { service in
                TopTable.Row(service: service, before: before[service], now: now[service])
            }
            let lines = TopTable.lines(rows, height: terminal?.height ?? .max)
            if let terminal { terminal.show(lines) } else { lines.forEach(Screen.line) }
            if once { return }
            before = now
        }
    }

    /// The programs that respond, queried concurrently.
    private func scrape(_ endpoints: Endpoints) async -> [String: ServiceScrape] {
        await withTaskGroup(of: (String, ServiceScrape?).self) { group in
            for service in Endpoints.services {
                guard let address = endpoints.metrics(of: service) else { continue }
                group.addTask {
                    let page = MetricsReader.read(address)
                    return (service, page.map { ServiceScrape($0, at: Clock.seconds()) })
                }
            }
            var scrapes: [String: ServiceScrape] = [:]
            for await (service, scrape) in group { scrapes[service] = scrape }
            return scrapes
        }
    }
}
