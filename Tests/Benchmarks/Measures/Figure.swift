/// One measured value.
struct Figure {
    let name: String
    let value: Double
    let unit: String

    /// Prints the line in the format of `docker/bench.sh`.
    func report() {
        let digits = abs(value) < 100 ? 2 : 0
        let scale = digits == 2 ? 100.0 : 1.0
        let rounded = (value * scale).rounded() / scale
        print("figure \(name) \(digits == 0 ? "\(Int(rounded))" : "\(rounded)") \(unit)")
    }
}

extension Double {
    /// The median of several runs: a run that was disturbed has no effect.
    static func median(_ runs: [Double]) -> Double {
        let sorted = runs.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
