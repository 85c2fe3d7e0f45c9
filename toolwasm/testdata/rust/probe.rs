// Probe tells what a Rust program sees: one command for each thing.
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::{env, fs, process, time};

fn count() -> io::Result<()> {
    let mut words: BTreeMap<String, u64> = BTreeMap::new();
    for line in io::stdin().lock().lines() {
        for word in line?.split_whitespace() {
            *words.entry(word.to_string()).or_default() += 1;
        }
    }
    let mut out = io::BufWriter::new(io::stdout().lock());
    for (word, n) in words {
        writeln!(out, "{} {}", n, word)?;
    }
    out.flush()
}

fn list(dir: &str) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)? {
        names.push(entry?.file_name().into_string().unwrap_or_default());
    }
    names.sort();
    println!("{}", names.join(" "));
    Ok(())
}

fn flood() -> io::Result<()> {
    let mut out = io::stdout().lock();
    loop {
        out.write_all(b"y\n")?;
    }
}

fn run(args: &[String]) -> io::Result<()> {
    let arg = |i: usize| args.get(i).map(String::as_str).unwrap_or("");
    match arg(1) {
        "args" => println!("{:?}", &args[1..]),
        "env" => println!("{:?}", env::var(arg(2)).ok()),
        "count" => count()?,
        "read" => print!("{}", fs::read_to_string(arg(2))?),
        "write" => fs::write(arg(2), arg(3))?,
        "list" => list(arg(2))?,
        "pwd" => println!("{}", env::current_dir()?.display()),
        "exit" => process::exit(arg(2).parse().unwrap_or(99)),
        "panic" => panic!("as asked"),
        "flood" => flood()?,
        "sleep" => {
            let begin = time::Instant::now();
            std::thread::sleep(time::Duration::from_millis(20));
            println!("{}", begin.elapsed() >= time::Duration::from_millis(20));
        }
        other => {
            eprintln!("probe: what is {:?}?", other);
            process::exit(2);
        }
    }
    Ok(())
}

fn main() {
    let args: Vec<String> = env::args().collect();
    if let Err(e) = run(&args) {
        eprintln!("probe: {}", e);
        process::exit(1);
    }
}
