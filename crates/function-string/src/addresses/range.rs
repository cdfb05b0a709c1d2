//! Ranges of addresses: whether a prefix contains an address, and where a prefix begins and ends.

use entasis_base::{Error, Result, codes};
use entasis_column::Column;
use entasis_types::DataType;
use entasis_types::ip::{parse_ipv6, strict_ipv4};

use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef, Nulls};
use entasis_function_kernel::kernel::{Side, illegal_type};
use entasis_function_kernel::text::Text;

use super::{v4, v6};

/// An address of either version.
#[derive(Clone, Copy)]
enum Address {
    V4(u32),
    V6(u128),
}

impl Address {
    fn parse(text: &[u8]) -> Result<Self> {
        let v6 = || parse_ipv6(text).map(Self::V6);
        strict_ipv4(text).map(Self::V4).or_else(v6).ok_or_else(|| {
            let text = String::from_utf8_lossy(text);
            cannot_parse(format!("Neither IPv4 nor IPv6 address: '{text}'"))
        })
    }
}

#[cold]
fn cannot_parse(message: String) -> Error {
    Error::new(codes::CANNOT_PARSE_TEXT, message)
}

/// An address and the length of a prefix.
#[derive(Clone, Copy)]
struct Prefix {
    address: Address,
    length: u32,
}

impl Prefix {
    fn parse(text: &[u8]) -> Result<Self> {
        let Some(at) = text.iter().rposition(|b| *b == b'/') else {
            let text = String::from_utf8_lossy(text);
            return Err(cannot_parse(format!("The text does not contain '/': {text}")));
        };
        let address = Address::parse(&text[..at])?;
        let most = if matches!(address, Address::V4(_)) { 32 } else { 128 };
        let length = std::str::from_utf8(&text[at + 1..]).ok().filter(|t| !t.starts_with('+'));
        match length.and_then(|t| t.parse::<u8>().ok()).map(u32::from) {
            Some(length) if length <= most => Ok(Self { address, length }),
            _ => {
                let text = String::from_utf8_lossy(text);
                Err(cannot_parse(format!("The CIDR has a malformed prefix bits: {text}")))
            }
        }
    }

    fn contains(self, address: Address) -> bool {
        match (self.address, address) {
            (Address::V4(a), Address::V4(b)) => (a ^ b) & mask4(self.length) == 0,
            (Address::V6(a), Address::V6(b)) => (a ^ b) & mask6(self.length) == 0,
            _ => false,
        }
    }
}

fn mask4(length: u32) -> u32 {
    u32::MAX.checked_shl(32 - length.min(32)).unwrap_or_default()
}

fn mask6(length: u32) -> u128 {
    u128::MAX.checked_shl(128 - length.min(128)).unwrap_or_default()
}

fn in_range(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    let of = args[0].ty.without_nullable().clone();
    if !matches!(of, DataType::String | DataType::Ipv4 | DataType::Ipv6) {
        return Err(illegal_type("isIPAddressInRange", &args[0].ty));
    }
    if args[1].ty != DataType::String {
        return Err(illegal_type("isIPAddressInRange", &args[1].ty));
    }
    Ok(BoundKernel::new(DataType::UInt8, move |args, rows| {
        let column = args[0].full();
        let (known, values) = column.split_nullable();
        let address = |i: usize| match values {
            Column::UInt32(values) => Ok(Address::V4(values[i])),
            Column::Fixed(_) => Ok(Address::V6(v6::address_at(values, i))),
            text => Address::parse(Text::of(text)?.get(i)),
        };
        let prefixes = Text::of(&args[1])?;
        let one = match prefixes {
            Text::One(text) if rows > 0 => Some(Prefix::parse(text)?),
            _ => None,
        };
        let contains = |i: usize| {
            if known.is_some_and(|known| !known.get(i)) {
                return Ok(0);
            }
            let address = address(i)?;
            let prefix = one.map_or_else(|| Prefix::parse(prefixes.get(i)), Ok)?;
            Ok(u8::from(prefix.contains(address)))
        };
        Ok((0..rows).map(contains).collect::<Result<Vec<u8>>>()?.into())
    }))
}

fn expect_length(name: &str, arg: &Arg) -> Result<()> {
    if arg.ty == DataType::UInt8 { Ok(()) } else { Err(illegal_type(name, &arg.ty)) }
}

fn range4(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    v4::expect_address("IPv4CIDRToRange", &args[0])?;
    expect_length("IPv4CIDRToRange", &args[1])?;
    let pair = DataType::tuple(vec![DataType::Ipv4, DataType::Ipv4]);
    Ok(BoundKernel::new(pair, |args, rows| {
        let (addresses, lengths) = (Side::<u32>::read(&args[0])?, Side::<u32>::read(&args[1])?);
        let ends = |i: usize| {
            let mask = mask4(lengths.get(i));
            (addresses.get(i) & mask, addresses.get(i) | !mask)
        };
        let (first, last): (Vec<u32>, Vec<u32>) = (0..rows).map(ends).unzip();
        Ok(Column::tuple(vec![first.into(), last.into()], rows))
    }))
}

fn range6(args: &[Arg], _: &dyn FunctionContext) -> Result<BoundKernel> {
    v6::expect_address("IPv6CIDRToRange", &args[0])?;
    expect_length("IPv6CIDRToRange", &args[1])?;
    let pair = DataType::tuple(vec![DataType::Ipv6, DataType::Ipv6]);
    Ok(BoundKernel::new(pair, |args, rows| {
        let lengths = Side::<u32>::read(&args[1])?;
        let first = |i: usize| v6::address_at(&args[0], i) & mask6(lengths.get(i));
        let last = |i: usize| v6::address_at(&args[0], i) | !mask6(lengths.get(i));
        Ok(Column::tuple(vec![v6::addresses(rows, first), v6::addresses(rows, last)], rows))
    }))
}

const TWO: FunctionDef = FunctionDef { arity: (2, 2), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "isIPAddressInRange",
        description: "Whether an address is in the range that a prefix in CIDR notation stands for. \
                      Addresses of the other version never are.",
        examples: &[
            ("isIPAddressInRange('10.1.2.3', '10.0.0.0/8')", "1"),
            ("isIPAddressInRange('2001:db8::1', '2001:db9::/32')", "0"),
        ],
        nulls: Nulls::Custom,
        bind: in_range,
        ..TWO
    },
    FunctionDef {
        name: "IPv4CIDRToRange",
        description: "The first and the last IPv4 address with the same leading bits.",
        examples: &[("IPv4CIDRToRange(toIPv4('10.1.2.3'), 8)", "('10.0.0.0','10.255.255.255')")],
        bind: range4,
        ..TWO
    },
    FunctionDef {
        name: "IPv6CIDRToRange",
        description: "The first and the last IPv6 address with the same leading bits.",
        examples: &[(
            "IPv6CIDRToRange(toIPv6('2001:db8::5'), 126)",
            "('2001:db8::4','2001:db8::7')",
        )],
        bind: range6,
        ..TWO
    },
];
