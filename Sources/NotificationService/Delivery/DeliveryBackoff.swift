/// How long a message waits after a failed try: twice as long each time, up to five minutes, and
/// between half and all of that, so that a mail server that comes back is not met by all at once.
enum DeliveryBackoff {
    /// After the first failure.
    static let first: Duration = .seconds(2)
    /// After the ninth and all later ones: a mail server's restart costs no more than this.
    static let most: Duration = .seconds(300)

    /// The wait after `attempts` tries (from 1), placed by a random number.
    static func wait(attempts: Int, random: UInt64) -> Duration {
        let doublings = min(max(attempts - 1, 0), 8)
        let whole = min(first * (1 << doublings), most)
        let share = Double(random >> 11) / Double(1 << 53)
        return whole / 2 + whole / 2 * share
    }
}
