/// The three kinds of one durable act, and how they stand to each other.
struct CommitFigures {
    /// What is done: "writes", "refreshes".
    let subject: String
    /// Acts a second that share commits.
    let group: Double
    /// Acts a second with a commit for each.
    let single: Double
    /// Acts a second when nobody waits for the disk.
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
