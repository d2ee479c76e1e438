/// The rates of one durable operation, committed in three ways, and their ratios.
struct CommitFigures {
    /// The operation: "writes", "refreshes".
    let subject: String
    /// Operations a second with group commit.
    let group: Double
    /// Operations a second with a commit for each.
    let single: Double
    /// Operations a second without waiting for the disk.
    let noDisk: Double

    func report() {
        let unit = "\(subject)/s"
        Figure(name: "\(subject)-in-groups", value: group, unit: unit).report()
        Figure(name: "\(subject)-one-by-one", value: single, unit: unit).report()
        Figure(name: "\(subject)-without-disk", value: noDisk, unit: unit).report()
        Figure(name: "\(subject)-groups-to-one-by-one", value: group / single, unit: "×").report()
        Figure(name: "\(subject)-groups-to-without-disk", value: group / noDisk, unit: "×").report()
    }
}
